import { LaneFull } from '@berth/database';
import { GatewayError } from './gateway-error.ts';

/** Created once, like the LaneFull error that it replaces. */
const lookupsBusy = new GatewayError('LOOKUPS_BUSY', { limit: 'lookups' });

/**
 * Gateway error for a failed lookup of a caller or workload: either the lookup lane is full, or the database does not
 * answer.
 */
export const lookupError = (error: unknown): GatewayError =>
  error instanceof LaneFull ? lookupsBusy : new GatewayError('PLATFORM_UNAVAILABLE', {}, error);

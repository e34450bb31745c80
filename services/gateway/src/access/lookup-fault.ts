import { LaneFull } from '@berth/database';
import { GatewayError } from '../errors.ts';

/** Made once, as the error that it stands for. */
const lookupsBusy = new GatewayError('LOOKUPS_BUSY', { limit: 'lookups' });

/** Why a caller or a workload could not be looked up: too many strangers ask, or the database does not answer. */
export const lookupFault = (error: unknown): GatewayError =>
  error instanceof LaneFull ? lookupsBusy : new GatewayError('PLATFORM_UNAVAILABLE', {}, error);

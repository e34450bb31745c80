import { fixedExpiry, limitOf } from '@berth/instances';
import type { ResourceRow } from '../resources/record.ts';
import type { RuleContext } from '../resources/rules.ts';

/** The last date with a four-digit year; a later expiry counts as none. */
const lastMs = Date.UTC(9999, 11, 31);

/**
 * Time at which a fixed rule ends the sandbox; null without such a rule. The idle timeout is not included, because only
 * the runner knows when a sandbox is idle.
 */
export function expiryOf(
  { workspace, dependencies }: Pick<RuleContext, 'workspace' | 'dependencies'>,
  { spec, created_at }: Pick<ResourceRow, 'spec' | 'created_at'>,
): Date | null {
  const maxDays = limitOf(workspace.account, dependencies.config, 'sandbox_ttl');
  const expiry = fixedExpiry(spec, { createdAtMs: created_at.getTime(), maxDays });
  return expiry === undefined || expiry.atMs > lastMs ? null : new Date(expiry.atMs);
}

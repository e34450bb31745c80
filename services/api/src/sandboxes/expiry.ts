import { fixedExpiry, limitOf } from '@berth/placement';
import type { ResourceRow } from '../resources/record.ts';
import type { RuleContext } from '../resources/rules.ts';

/** The last one that every calendar in between can write; nobody waits for later ones. */
const lastMs = Date.UTC(9999, 11, 31);

/** When a rule ends it whatever happens until then; null when none does. Only its runner knows when nobody uses it. */
export function expiryOf(
  { workspace, dependencies }: Pick<RuleContext, 'workspace' | 'dependencies'>,
  { spec, created_at }: Pick<ResourceRow, 'spec' | 'created_at'>,
): Date | null {
  const longestDays = limitOf(workspace.account, dependencies.config, 'sandbox_ttl');
  const expiry = fixedExpiry(spec, { createdAtMs: created_at.getTime(), longestDays });
  return expiry === undefined || expiry.atMs > lastMs ? null : new Date(expiry.atMs);
}

import { requestErrors } from '@berth/contract';
import { apiKeyErrors } from './errors.ts';

type Scopes = readonly string[] | undefined;

/** A key grants only scopes that it holds itself, so a stolen narrow key cannot create a wider one. */
export function requireWithin(held: Scopes, asked: Scopes): void {
  if (held === undefined || held.includes('admin')) return;
  if (asked === undefined) throw apiKeyErrors.scopes_required({ held: held.join(', ') });
  const beyond = asked.find((scope) => !held.includes(scope));
  if (beyond !== undefined) throw requestErrors.scope_required({ scope: beyond });
}

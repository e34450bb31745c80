import { requestErrors } from '@berth/contract';
import { apiKeyErrors } from './errors.ts';

type Scopes = readonly string[] | undefined;

/** A key hands on no more than it holds: whoever steals a narrow key cannot make a wide one with it. */
export function requireWithin(held: Scopes, asked: Scopes): void {
  if (held === undefined || held.includes('admin')) return;
  if (asked === undefined) throw apiKeyErrors.scopes_required({ held: held.join(', ') });
  const beyond = asked.find((scope) => !held.includes(scope));
  if (beyond !== undefined) throw requestErrors.scope_required({ scope: beyond });
}

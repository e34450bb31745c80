import { requestErrors } from '@berth/contract';
import type { Principal } from '@berth/identity';

/**
 * Workspaces whose usage the caller sees; undefined for all of the account, which is for its admins. Other callers see
 * the workspaces they are a member of.
 */
export function visibleWorkspaces(
  { accounts, memberships }: Pick<Principal, 'accounts' | 'memberships'>,
  accountId: string,
): string[] | undefined {
  if (accounts.some((held) => held.accountId === accountId && held.role === 'admin')) return undefined;
  return memberships
    .filter((membership) => membership.accountId === accountId)
    .map(({ workspaceId }) => workspaceId)
    .sort();
}

interface NamesWorkspaces {
  readonly workspace?: string | undefined;
  readonly groupBy?: readonly string[] | undefined;
}

/** Queries that name workspaces are for account admins. */
export function requireNamesAllowed(visible: readonly string[] | undefined, { workspace, groupBy }: NamesWorkspaces) {
  const namesWorkspaces = workspace !== undefined || groupBy?.includes('workspace') === true;
  if (visible !== undefined && namesWorkspaces) throw requestErrors.access_denied();
}

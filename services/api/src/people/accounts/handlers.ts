import { getAccount, listAccountQuotas, listAccounts, requestErrors } from '@berth/contract';
import { limitsOf } from '@berth/instances';
import { type Registration, read } from '../../http/call.ts';
import { loadAccounts } from './render-account.ts';

export const accountHandlers: readonly Registration[] = [
  read(listAccounts, ({ database, principal }) => loadAccounts(database, principal.accounts)),

  read(getAccount, async ({ database, principal, accountId }) => {
    const [account] = await loadAccounts(
      database,
      principal.accounts.filter((held) => held.accountId === accountId),
    );
    if (account === undefined) throw requestErrors.not_found();
    return account;
  }),

  read(listAccountQuotas, async ({ accountId, dependencies }) => {
    const limits = limitsOf(await dependencies.accounts.get(accountId), dependencies.config);
    return Object.entries(limits)
      .map(([resourceType, value]) => ({ resourceType, value }))
      .sort((a, b) => (a.resourceType < b.resourceType ? -1 : 1));
  }),
];

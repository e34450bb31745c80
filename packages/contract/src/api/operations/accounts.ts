// Control-plane sheet 1.1.
import { z } from 'zod';
import { accountMember, anyCaller } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { Account, Quota } from '../schema/account.ts';

const none = z.object({});

export const listAccounts = defineOperation({
  ...at('/accounts'),
  id: 'listAccounts',
  method: 'GET',
  tag: 'Accounts',
  summary: 'List the accounts the caller can see',
  access: anyCaller(),
  query: none,
  answer: z.array(Account),
});

export const getAccount = defineOperation({
  ...at('/accounts/{accountId}'),
  id: 'getAccount',
  method: 'GET',
  tag: 'Accounts',
  summary: 'Read one account',
  access: accountMember(),
  query: none,
  answer: Account,
});

export const listAccountQuotas = defineOperation({
  ...at('/quotas/account/{accountId}'),
  id: 'listAccountQuotas',
  method: 'GET',
  tag: 'Accounts',
  summary: 'List the limits of an account',
  access: accountMember(),
  query: none,
  answer: z.array(Quota),
});

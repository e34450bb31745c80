// Monthly statements of an account. Our own addition: the interface has no such operation.
import { z } from 'zod';
import { accountAdmin } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { Statement, StatementQuery, StatementSummary } from '../schema/statement.ts';

const tag = 'Billing';

export const listStatements = defineOperation({
  ...at('/accounts/{accountId}/statements'),
  id: 'listStatements',
  method: 'GET',
  tag,
  summary: 'List the monthly statements of the account, newest first',
  access: accountAdmin('billing:get'),
  query: z.object({}),
  answer: z.array(StatementSummary),
  isAddition: true,
});

export const getStatement = defineOperation({
  ...at('/accounts/{accountId}/statements/{month}'),
  id: 'getStatement',
  method: 'GET',
  tag,
  summary: 'Read the statement of a month, three days after its end or later',
  access: accountAdmin('billing:get'),
  query: StatementQuery,
  answer: Statement,
  answersCsv: true,
  isAddition: true,
});

import { requestErrors } from '@berth/contract';
import type { Database, DatabaseTransaction, Tables } from '@berth/database';
import type { Selectable } from 'kysely';

export const budgetColumns = [
  'id',
  'name',
  'amount_usd',
  'thresholds',
  'workspace',
  'of',
  'callback_url',
  'callback_secret',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
] as const;

export type BudgetRow = Pick<Selectable<Tables['budgets']>, (typeof budgetColumns)[number]>;

const ofAccount = (database: Database | DatabaseTransaction, accountId: string) =>
  database.selectFrom('budgets').select(budgetColumns).where('account_id', '=', accountId).orderBy('name');

export const loadBudgets = (database: Database, accountId: string): Promise<BudgetRow[]> =>
  ofAccount(database, accountId).execute();

export const findBudget = (
  database: Database | DatabaseTransaction,
  accountId: string,
  name: string,
): Promise<BudgetRow | undefined> => ofAccount(database, accountId).where('name', '=', name).executeTakeFirst();

export async function requireBudget(database: Database, accountId: string, name: string): Promise<BudgetRow> {
  const row = await findBudget(database, accountId, name);
  if (row === undefined) throw requestErrors.not_found();
  return row;
}

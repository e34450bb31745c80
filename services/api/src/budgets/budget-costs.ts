// What each of some budgets counts in a month so far.
import type { ReadCall } from '../http/call.ts';
import { loadModelCosts } from './model-costs.ts';
import { type MonthCosts, readMonthCosts } from './month-costs.ts';
import type { BudgetRow } from './record.ts';

type Call = Pick<ReadCall, 'accountId' | 'database' | 'dependencies'>;

/** Cost in 10⁻¹² USD. */
type CostOf = (budget: Pick<BudgetRow, 'id' | 'of' | 'workspace'>) => bigint;

const noUsage: MonthCosts = { account: 0n, workspaces: new Map() };

/** Budgets of models need no ClickHouse, and are shown while it is away or where there is none. */
export async function readBudgetCosts(
  { accountId, database, dependencies }: Call,
  rows: readonly BudgetRow[],
  month: string,
  nowMs: number,
): Promise<CostOf> {
  const ids = rows.filter(({ of }) => of === 'models').map(({ id }) => id);
  const models = await loadModelCosts(database, ids, month);
  const usage =
    ids.length === rows.length ? noUsage : await readMonthCosts(database, dependencies, accountId, month, nowMs);
  return ({ id, of, workspace }) => {
    if (of === 'models') return models.get(id) ?? 0n;
    return workspace === null ? usage.account : (usage.workspaces.get(workspace) ?? 0n);
  };
}

// Compares budgets with the cost of the month, and tells each threshold that is reached once.
import type { Database } from '@berth/database';
import type { Usage } from '@berth/usage';
import { type ClaimedBudget, claimBudgets } from './claim-budgets.ts';
import type { MonthCosts } from './judge-budget.ts';
import { judgeBudget } from './judge-budget.ts';
import { readModelCosts } from './model-costs.ts';
import { tellThresholds } from './tell-thresholds.ts';
import { readUsageCosts } from './usage-costs.ts';

export interface BudgetDependencies {
  readonly database: Database;
  readonly usage: Pick<Usage, 'metrics'>;
  /** Called after callbacks were stored. */
  readonly notifyDeliveries: () => void;
  /** Ends the evaluation before the next account. */
  readonly signal: AbortSignal;
}

const maxClaimed = 50;

/**
 * True when more budgets may be due. The failure of an account does not keep others from being evaluated; it is thrown at the
 * end, and the account is evaluated again a minute later.
 */
export async function evaluateBudgets(dependencies: BudgetDependencies, nowMs: number): Promise<boolean> {
  const claimed = await claimBudgets(dependencies.database, maxClaimed);
  const failures: unknown[] = [];
  for (const [accountId, budgets] of Map.groupBy(claimed, (budget) => budget.accountId)) {
    if (dependencies.signal.aborted) break;
    try {
      await evaluateAccount(dependencies, accountId, budgets, nowMs);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `Budgets of ${failures.length} accounts are not evaluated.`);
  return claimed.length === maxClaimed;
}

/** Budgets of models come first, because they are told while ClickHouse is away too. */
async function evaluateAccount(
  dependencies: BudgetDependencies,
  accountId: string,
  budgets: readonly ClaimedBudget[],
  nowMs: number,
): Promise<void> {
  const { database, usage } = dependencies;
  const { models = [], usage: used = [] } = Object.groupBy(budgets, ({ of }) => of);
  const ids = models.map(({ id }) => id);
  if (models.length > 0) await tellReached(dependencies, models, await readModelCosts(database, ids, nowMs));
  if (used.length > 0)
    await tellReached(dependencies, used, await readUsageCosts(database, usage.metrics, accountId, nowMs));
}

async function tellReached(
  { database, notifyDeliveries }: BudgetDependencies,
  budgets: readonly ClaimedBudget[],
  costs: readonly MonthCosts[],
): Promise<void> {
  const told = await loadTold(
    database,
    budgets.map(({ id }) => id),
    costs.map(({ month }) => month),
  );
  for (const budget of budgets) {
    const isNew = judgeBudget(budget, costs).some((each) => !told.has(keyOf(budget.id, each)));
    if (isNew && (await tellThresholds(database, budget.id, costs))) notifyDeliveries();
  }
}

const keyOf = (budgetId: string, { month, percent }: { readonly month: string; readonly percent: number }): string =>
  `${budgetId} ${month} ${percent}`;

async function loadTold(
  database: Database,
  budgetIds: readonly string[],
  months: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom('budget_alerts')
    .select(['budget_id', 'month', 'percent'])
    .where('budget_id', 'in', budgetIds)
    .where('month', 'in', months)
    .execute();
  return new Set(rows.map((row) => keyOf(row.budget_id, row)));
}

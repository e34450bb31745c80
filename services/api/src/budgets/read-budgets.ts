// Budgets with the current month: its cost, and the thresholds that it has reached.
import type { getBudget, listBudgets } from '@berth/contract';
import { monthAt } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { readBudgetCosts } from './budget-costs.ts';
import { loadAlerts } from './load-alerts.ts';
import { type BudgetRow, loadBudgets, requireBudget } from './record.ts';
import { renderBudget } from './render-budget.ts';

type Call = Pick<ReadCall, 'accountId' | 'database' | 'dependencies'>;

export async function readBudgets(call: ReadCall<typeof listBudgets>) {
  return withMonth(call, await loadBudgets(call.database, call.accountId));
}

export async function readBudget(call: ReadCall<typeof getBudget>) {
  const row = await requireBudget(call.database, call.accountId, call.params.budgetName);
  const [budget] = await withMonth(call, [row]);
  return budget;
}

async function withMonth(call: Call, rows: readonly BudgetRow[]) {
  if (rows.length === 0) return [];
  const nowMs = call.dependencies.now();
  const month = monthAt(nowMs);
  const costOf = await readBudgetCosts(call, rows, month, nowMs);
  const ids = rows.map(({ id }) => id);
  const alerts = await loadAlerts(call.database, ids, month);
  return rows.map((row) => renderBudget(row, { month, pico: costOf(row), alerts }));
}

// Stores that thresholds of a budget are reached, each with its callback, in one transaction. The primary key of an alert
// makes it the only one of its threshold and month, so a repetition stores and sends nothing.
import type { BudgetOf } from '@berth/contract';
import { type Database, type DatabaseTransaction, uuidv7 } from '@berth/database';
import { attoUsd } from '@berth/usage';
import { budgetBody } from './budget-body.ts';
import type { MonthCosts } from './judge-budget.ts';
import { type Budget, judgeBudget } from './judge-budget.ts';

/** True when there is a callback to deliver. */
export function tellThresholds(database: Database, budgetId: string, costs: readonly MonthCosts[]): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const budget = await lockBudget(tx, budgetId);
    if (budget === undefined) return false;
    const alerts = await insertAlerts(tx, budget, costs);
    return insertDeliveries(tx, budget, alerts);
  });
}

interface LockedBudget extends Budget {
  readonly of: BudgetOf;
  readonly accountId: string;
  readonly name: string;
  readonly callbackUrl: string | null;
  readonly callbackSecret: string | null;
}

/** Locked, so that the amount that is compared is the amount of the budget when the alert is stored. */
const lockBudget = (tx: DatabaseTransaction, id: string): Promise<LockedBudget | undefined> =>
  tx
    .selectFrom('budgets')
    .select(['id', 'account_id as accountId', 'name', 'amount_usd as amountUsd', 'thresholds', 'workspace', 'of'])
    .select(['callback_url as callbackUrl', 'callback_secret as callbackSecret', 'updated_at as updatedAt'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

type Alert = Awaited<ReturnType<typeof insertAlerts>>[number];

/** Alerts that were not stored before, in the order of their thresholds. */
async function insertAlerts(tx: DatabaseTransaction, budget: LockedBudget, costs: readonly MonthCosts[]) {
  const reached = judgeBudget(budget, costs);
  if (reached.length === 0) return [];
  const rows = await tx
    .insertInto('budget_alerts')
    .values(
      reached.map(({ month, percent, pico }) => ({
        ...{ budget_id: budget.id, month, percent, pico: String(pico), amount_usd: budget.amountUsd },
        delivery_id: budget.callbackUrl === null ? null : uuidv7(),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(['month', 'percent', 'pico', 'reached_at as reachedAt', 'delivery_id as deliveryId'])
    .execute();
  return rows.toSorted((left, right) => left.month.localeCompare(right.month) || left.percent - right.percent);
}

async function insertDeliveries(
  tx: DatabaseTransaction,
  { id, accountId, name, of, amountUsd, workspace, callbackUrl, callbackSecret }: LockedBudget,
  alerts: readonly Alert[],
): Promise<boolean> {
  if (callbackUrl === null || callbackSecret === null) return false;
  const rows = alerts.flatMap(({ deliveryId, month, percent, pico, reachedAt }) => {
    if (deliveryId === null) return [];
    const amountPico = attoUsd(amountUsd) / 1_000_000n;
    const told = {
      accountId,
      budget: name,
      of,
      workspace,
      month,
      percent,
      amountPico,
      costPico: BigInt(pico),
      reachedAt,
    };
    return [
      {
        ...{ id: deliveryId, account_id: accountId, budget_id: id },
        ...{ url: callbackUrl, host: URL.parse(callbackUrl)?.host ?? '', secret: callbackSecret },
        body: budgetBody(told),
      },
    ];
  });
  if (rows.length > 0) await tx.insertInto('deliveries').values(rows).execute();
  return rows.length > 0;
}

import type { BudgetCallback } from '@berth/contract';
import type { Database } from '@berth/database';

export interface BudgetAlertRow {
  readonly budgetId: string;
  readonly percent: number;
  readonly pico: bigint;
  readonly amountUsd: string;
  readonly reachedAt: Date;
  readonly callback: BudgetCallback;
}

/** Thresholds that the budgets reached in a month, ascending. */
export async function loadAlerts(
  database: Database,
  budgetIds: readonly string[],
  month: string,
): Promise<BudgetAlertRow[]> {
  const rows = await database
    .selectFrom('budget_alerts')
    .leftJoin('deliveries', 'deliveries.id', 'budget_alerts.delivery_id')
    .select([
      'budget_alerts.budget_id',
      'budget_alerts.percent',
      'budget_alerts.pico',
      'budget_alerts.amount_usd',
      'budget_alerts.reached_at',
      'budget_alerts.delivery_id',
      'deliveries.id as found_id',
      'deliveries.delivered_at',
      'deliveries.given_up_at',
    ])
    .where('budget_alerts.budget_id', 'in', budgetIds)
    .where('budget_alerts.month', '=', month)
    .orderBy('budget_alerts.percent')
    .execute();
  return rows.map((row) => ({
    budgetId: row.budget_id,
    percent: row.percent,
    pico: BigInt(row.pico),
    amountUsd: row.amount_usd,
    reachedAt: row.reached_at,
    callback: callbackState(row),
  }));
}

interface Delivery {
  readonly delivery_id: string | null;
  readonly found_id: string | null;
  readonly delivered_at: Date | null;
  readonly given_up_at: Date | null;
}

function callbackState({ delivery_id, found_id, delivered_at, given_up_at }: Delivery): BudgetCallback {
  if (delivery_id === null) return 'none';
  if (found_id === null) return 'expired';
  if (delivered_at !== null) return 'delivered';
  return given_up_at === null ? 'waiting' : 'given_up';
}

// The answer of a budget. Pure.
import { exactDecimal, usdOf } from '@berth/usage';
import type { BudgetAlertRow } from './load-alerts.ts';
import type { BudgetRow } from './record.ts';

/** Decimal text of PostgreSQL with six decimals, in 10⁻¹² USD. */
export const picoOf = (usd: string): bigint => BigInt(usd.replace('.', '')) * 1_000_000n;

/** Percent with two decimals. It is rounded down, so that 100 means that the amount is reached. */
export const percentOf = (pico: bigint, amountPico: bigint) =>
  JSON.rawJSON(exactDecimal((pico * 10_000n) / amountPico, 2));

const settingsOf = ({ name, amount_usd, of, thresholds, workspace, callback_url }: BudgetRow) => ({
  name,
  amount: usdOf(picoOf(amount_usd)),
  of,
  thresholds,
  ...(workspace === null ? {} : { workspace }),
  ...(callback_url === null ? {} : { callbackUrl: callback_url }),
});

const stampsOf = ({ created_at, created_by, updated_at, updated_by }: BudgetRow) => ({
  createdAt: created_at.toISOString(),
  createdBy: created_by,
  updatedAt: updated_at.toISOString(),
  updatedBy: updated_by,
});

export const renderSettings = (row: BudgetRow) => ({ ...settingsOf(row), ...stampsOf(row) });

/** A month, and what is known of it. */
interface BudgetMonth {
  /** As 2026-11. */
  readonly month: string;
  /** Cost so far, in 10⁻¹² USD. */
  readonly pico: bigint;
  readonly alerts: readonly BudgetAlertRow[];
}

export function renderBudget(row: BudgetRow, { month, pico, alerts }: BudgetMonth) {
  return {
    ...settingsOf(row),
    month,
    cost: usdOf(pico),
    percent: percentOf(pico, picoOf(row.amount_usd)),
    alerts: alerts.filter(({ budgetId }) => budgetId === row.id).map(renderAlert),
    ...stampsOf(row),
  };
}

const renderAlert = ({ percent, reachedAt, pico, amountUsd, callback }: BudgetAlertRow) => ({
  threshold: percent,
  reachedAt: reachedAt.toISOString(),
  cost: usdOf(pico),
  amount: usdOf(picoOf(amountUsd)),
  callback,
});

// Calendar months of UTC as text such as `2026-11`. Pure.
import type { Period } from '../ledger/split-at-hours.ts';

const dayMs = 24 * 3_600_000;

/** Time after the end of a month in which late usage still belongs to its statement. */
export const statementDelayMs = 3 * dayMs;

export const monthAt = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

/** `count` may be negative. */
export function addMonths(month: string, count: number): string {
  const date = new Date(monthStart(month));
  return monthAt(date.setUTCMonth(date.getUTCMonth() + count));
}

export const monthPeriod = (month: string): Period => ({
  fromMs: monthStart(month),
  toMs: monthStart(addMonths(month, 1)),
});

const monthStart = (month: string): number => Date.parse(`${month}-01T00:00:00Z`);

// The months that budgets are evaluated for. Pure.
import { addMonths, monthAt, monthPeriod, statementDelayMs } from '@berth/usage';

/** The present month, and the one before for as long as late usage belongs to its statement. Oldest first. */
export function evaluatedMonths(nowMs: number): string[] {
  const month = monthAt(nowMs);
  const isLate = nowMs - monthPeriod(month).fromMs < statementDelayMs;
  return isLate ? [addMonths(month, -1), month] : [month];
}

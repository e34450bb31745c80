// What models cost at their providers in the months that budgets are evaluated for. Gateways write it for each budget.
import type { Database } from '@berth/database';
import { monthPeriod } from '@berth/usage';
import { evaluatedMonths } from './evaluated-months.ts';
import type { MonthCosts } from './judge-budget.ts';

export async function readModelCosts(
  database: Database,
  budgetIds: readonly string[],
  nowMs: number,
): Promise<MonthCosts[]> {
  const months = evaluatedMonths(nowMs).map((month) => ({ month, start: new Date(monthPeriod(month).fromMs) }));
  const rows = await database
    .selectFrom('limit_windows')
    .select(({ fn }) => ['subject', 'window_start', fn.sum<string>('nano_usd').as('nano')])
    .where('subject', 'in', budgetIds)
    .where(
      'window_start',
      'in',
      months.map(({ start }) => start),
    )
    .groupBy(['subject', 'window_start'])
    .execute();
  return months.map(({ month, start }) => {
    const spent = new Map(
      rows
        .filter(({ window_start }) => window_start.getTime() === start.getTime())
        .map(({ subject, nano }) => [subject, BigInt(nano) * 1_000n]),
    );
    return { month, costOf: ({ id }) => spent.get(id) ?? 0n };
  });
}

// What an account has used in the months that budgets are evaluated for.
import type { Database } from '@berth/database';
import { addMonths, monthAt, monthPeriod, readMetrics, statementDelayMs, type Usage } from '@berth/usage';

/** Cost in 10⁻¹² USD. */
export interface MonthCosts {
  readonly month: string;
  readonly total: bigint;
  /** By name: a new workspace continues the budget of a deleted one with the same name. */
  readonly workspaces: ReadonlyMap<string, bigint>;
}

/** More than an account uses in two months. */
const maxWorkspaces = 100_000;

/** The present month, and the one before for as long as late usage belongs to its statement. Oldest first. */
function evaluatedMonths(nowMs: number): string[] {
  const month = monthAt(nowMs);
  const isLate = nowMs - monthPeriod(month).fromMs < statementDelayMs;
  return isLate ? [addMonths(month, -1), month] : [month];
}

export async function readMonthCosts(
  database: Database,
  metrics: Usage['metrics'],
  accountId: string,
  nowMs: number,
): Promise<MonthCosts[]> {
  const months = evaluatedMonths(nowMs);
  const fromMs = monthPeriod(months[0] ?? monthAt(nowMs)).fromMs;
  const { groups } = await readMetrics(database, metrics, {
    ...{ accountId, fromMs, toMs: nowMs, resolution: 'monthly', groupBy: ['workspace'], filters: {} },
    limit: maxWorkspaces,
  });
  return months.map((month) => {
    const startMs = monthPeriod(month).fromMs;
    const used = groups.flatMap(({ workspace = '', buckets }) =>
      buckets.flatMap((bucket) => (bucket.startMs === startMs ? [{ workspace, pico: bucket.pico }] : [])),
    );
    return {
      month,
      total: sum(used),
      workspaces: new Map(
        [...Map.groupBy(used, ({ workspace }) => workspace)].map(([name, same]) => [name, sum(same)]),
      ),
    };
  });
}

const sum = (used: readonly { readonly pico: bigint }[]): bigint => used.reduce((total, { pico }) => total + pico, 0n);

// What an account has used in the months that budgets are evaluated for.
import type { Database } from '@berth/database';
import { monthAt, monthPeriod, readMetrics, type Usage } from '@berth/usage';
import { evaluatedMonths } from './evaluated-months.ts';
import type { MonthCosts } from './judge-budget.ts';

/** More than an account uses in two months. */
const maxWorkspaces = 100_000;

export async function readUsageCosts(
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
    const total = sum(used);
    const workspaces = new Map(
      [...Map.groupBy(used, ({ workspace }) => workspace)].map(([name, same]) => [name, sum(same)]),
    );
    // By name: a new workspace continues the budget of a deleted one with the same name.
    return { month, costOf: ({ workspace }) => (workspace === null ? total : (workspaces.get(workspace) ?? 0n)) };
  });
}

const sum = (used: readonly { readonly pico: bigint }[]): bigint => used.reduce((total, { pico }) => total + pico, 0n);

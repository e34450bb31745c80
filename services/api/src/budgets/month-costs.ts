import type { Database } from '@berth/database';
import { monthPeriod } from '@berth/usage';
import type { Dependencies } from '../dependencies.ts';
import { readPage } from '../metrics/read-page.ts';
import { withMetrics } from '../metrics/with-metrics.ts';

/** Costs of a month so far in 10⁻¹² USD. */
export interface MonthCosts {
  readonly account: bigint;
  /** By name: a later workspace may have the name of a deleted one, and a budget is about both. */
  readonly workspaces: ReadonlyMap<string, bigint>;
}

/** More workspaces than an account uses in a month. */
const limit = 100_000;

/** One query has the costs of all budgets. */
export async function readMonthCosts(
  database: Database,
  dependencies: Pick<Dependencies, 'usage'>,
  accountId: string,
  month: string,
  untilMs: number,
): Promise<MonthCosts> {
  const asked = {
    window: monthPeriod(month),
    resolution: 'monthly',
    groupBy: ['workspace'],
    filters: {},
    starts: [],
    limit,
  } as const;
  const { total, groups } = await withMetrics(dependencies, (metrics) =>
    readPage(database, metrics, asked, { accountId, workspaceIds: undefined, untilMs, after: undefined }),
  );
  const workspaces = new Map<string, bigint>();
  for (const { workspace = '', pico } of groups) workspaces.set(workspace, (workspaces.get(workspace) ?? 0n) + pico);
  return { account: total.pico, workspaces };
}

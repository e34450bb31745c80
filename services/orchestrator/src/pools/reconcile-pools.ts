// One run for one runner. It first plans without a lock: most runs find nothing left to do, and creates that claim
// from this runner wait for its row.
import type { Logger } from '@berth/telemetry';
import type { Dependencies } from '../run/dependencies.ts';
import { type Timer, timersFor } from '../run/timers.ts';
import { applyPools } from './apply.ts';
import { loadPools } from './load.ts';
import { planPools } from './plan.ts';
import type { RecentUse } from './recent-use.ts';

export async function reconcilePools(
  dependencies: Dependencies,
  recentUse: RecentUse,
  runnerId: string,
  logger: Logger = dependencies.logger,
): Promise<readonly Timer[]> {
  const { database, counters } = dependencies;
  const seen = await loadPools(database, runnerId, dependencies, recentUse, false);
  if (seen === undefined) return [];
  const firstPlan = planPools(seen.observed);
  const later = (at: number | undefined, now: number): readonly Timer[] =>
    at === undefined ? [] : timersFor({ hasUnplaced: false, dueAt: [at] }, `pool-${runnerId}`, now);
  if (firstPlan.start.length === 0 && firstPlan.retire.length === 0) return later(firstPlan.dueAt, seen.observed.now);
  const done = await database.transaction().execute((tx) => applyPools(tx, dependencies, recentUse, runnerId));
  if (done === undefined) return [];
  if (done.started > 0 || done.retired > 0) {
    dependencies.notifyRunner(runnerId);
    logger.info(
      { runner: runnerId, started: done.started, retired: done.retired },
      'warm pools changed; the runner was notified',
    );
  }
  counters.placed.inc(done.started);
  counters.retired.inc(done.retired);
  return later(done.dueAt, done.now);
}

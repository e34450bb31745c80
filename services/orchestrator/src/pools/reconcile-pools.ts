// One run for one runner. It first plans without a lock: most runs find nothing left to do, and creates that claim
// from this runner wait for its row.
import { type DatabaseTransaction, uuidv7 } from '@berth/database';
import { warmInstanceSpec, warmReservedMb } from '@berth/placement';
import type { Logger } from '@berth/telemetry';
import { sql } from 'kysely';
import type { Dependencies } from '../run/dependencies.ts';
import { retireInstances } from '../run/retire-instances.ts';
import { type Timer, timersFor } from '../run/timers.ts';
import { loadPools } from './load.ts';
import { type PoolPlan, planPools } from './plan.ts';
import type { RecentUse } from './recent-use.ts';

/** Revision name of instances without an owner. */
const warmRevision = 'warm';
const retryWhenFullMs = 30_000;

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
    logger.info({ runner: runnerId, started: done.started, retired: done.retired }, 'waiting sandboxes changed');
  }
  counters.placed.inc(done.started);
  counters.retired.inc(done.retired);
  return later(done.dueAt, done.now);
}

interface AppliedPools {
  readonly started: number;
  readonly retired: number;
  readonly dueAt: number | undefined;
  readonly now: number;
}

async function applyPools(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  recentUse: RecentUse,
  runnerId: string,
): Promise<AppliedPools | undefined> {
  const loaded = await loadPools(tx, runnerId, dependencies, recentUse, true);
  if (loaded === undefined) return undefined;
  const { observed, freeMb } = loaded;
  const plan = planPools(observed);
  const { specs, isShort } = specsThatFit(plan, freeMb, dependencies);
  await insertWarm(tx, runnerId, specs);
  const retired = plan.retire.length === 0 ? [] : await retireInstances(tx, plan.retire, 'gone');
  const looks = [
    ...(isShort ? [observed.now + retryWhenFullMs] : []),
    ...(plan.dueAt === undefined ? [] : [plan.dueAt]),
  ];
  return {
    started: specs.length,
    retired: retired.length,
    dueAt: looks.length === 0 ? undefined : Math.min(...looks),
    now: observed.now,
  };
}

interface WarmSpec {
  readonly pool: string;
  readonly spec: string;
}

function specsThatFit(
  { start }: PoolPlan,
  freeMb: number,
  settings: Dependencies,
): { specs: readonly WarmSpec[]; isShort: boolean } {
  const wanted = start.flatMap(({ target, count }) => {
    const spec = JSON.stringify(warmInstanceSpec(target, settings));
    return Array.from({ length: count }, () => ({ pool: target.pool, spec }));
  });
  const room = Math.max(0, Math.floor(freeMb / warmReservedMb));
  return { specs: wanted.slice(0, room), isShort: wanted.length > room };
}

/** The caller holds the runner's row, so that free memory stays free until the commit. */
async function insertWarm(tx: DatabaseTransaction, runnerId: string, specs: readonly WarmSpec[]): Promise<void> {
  if (specs.length === 0) return;
  await sql`update runners set reserved_mb = reserved_mb + ${specs.length * warmReservedMb} where id = ${runnerId}`.execute(
    tx,
  );
  const ids = specs.map(() => uuidv7());
  await sql`
    insert into instances (id, pool, revision, runner_id, spec, reserved_mb)
    select made.id, made.pool, ${warmRevision}, ${runnerId}, made.spec::jsonb, ${warmReservedMb}
    from unnest(${ids}::uuid[], ${specs.map(({ pool }) => pool)}::text[], ${specs.map(({ spec }) => spec)}::text[])
      as made(id, pool, spec)`.execute(tx);
}

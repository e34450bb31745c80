// One run for one runner. It first plans without a lock: most runs find nothing left to do, and creates that claim
// from this runner wait for its row.
import { type DatabaseTransaction, uuidv7 } from '@berth/database';
import { warmInstanceSpec, warmReservedMb } from '@berth/placement';
import type { Logger } from '@berth/telemetry';
import { sql } from 'kysely';
import type { Dependencies } from '../run/dependencies.ts';
import { retireInstances } from '../run/retire-instances.ts';
import { type LookAgain, timersFor } from '../run/timers.ts';
import { loadPools } from './load.ts';
import { type PoolPlan, planPools } from './plan.ts';
import type { Lately } from './recent-use.ts';

/** Revision name of instances without an owner. */
const revision = 'warm';
const roomMs = 30_000;

export async function runPools(
  dependencies: Dependencies,
  lately: Lately,
  runnerId: string,
  logger: Logger = dependencies.logger,
): Promise<readonly LookAgain[]> {
  const { database, counters } = dependencies;
  const seen = await loadPools(database, runnerId, dependencies, lately, false);
  if (seen === undefined) return [];
  const glance = planPools(seen.observed);
  const later = (at: number | undefined, now: number): readonly LookAgain[] =>
    at === undefined ? [] : timersFor({ isWaiting: false, lookAgainAt: [at] }, `pool-${runnerId}`, now);
  if (glance.start.length === 0 && glance.retire.length === 0) return later(glance.lookAgainAt, seen.observed.now);
  const done = await database.transaction().execute((tx) => keep(tx, dependencies, lately, runnerId));
  if (done === undefined) return [];
  if (done.started > 0 || done.retired > 0) {
    dependencies.ringInstances(runnerId);
    logger.info({ runner: runnerId, started: done.started, retired: done.retired }, 'waiting sandboxes changed');
  }
  counters.placed.inc(done.started);
  counters.retired.inc(done.retired);
  return later(done.lookAgainAt, done.now);
}

interface Kept {
  readonly started: number;
  readonly retired: number;
  readonly lookAgainAt: number | undefined;
  readonly now: number;
}

async function keep(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  lately: Lately,
  runnerId: string,
): Promise<Kept | undefined> {
  const loaded = await loadPools(tx, runnerId, dependencies, lately, true);
  if (loaded === undefined) return undefined;
  const { observed, freeMb } = loaded;
  const plan = planPools(observed);
  const { specs, isShort } = specsThatFit(plan, freeMb, dependencies);
  await insertWaiting(tx, runnerId, specs);
  const retired = plan.retire.length === 0 ? [] : await retireInstances(tx, plan.retire, 'gone');
  const looks = [
    ...(isShort ? [observed.now + roomMs] : []),
    ...(plan.lookAgainAt === undefined ? [] : [plan.lookAgainAt]),
  ];
  return {
    started: specs.length,
    retired: retired.length,
    lookAgainAt: looks.length === 0 ? undefined : Math.min(...looks),
    now: observed.now,
  };
}

interface WaitingSpec {
  readonly pool: string;
  readonly spec: string;
}

function specsThatFit(
  { start }: PoolPlan,
  freeMb: number,
  settings: Dependencies,
): { specs: readonly WaitingSpec[]; isShort: boolean } {
  const wanted = start.flatMap(({ target, count }) => {
    const spec = JSON.stringify(warmInstanceSpec(target, settings));
    return Array.from({ length: count }, () => ({ pool: target.pool, spec }));
  });
  const room = Math.max(0, Math.floor(freeMb / warmReservedMb));
  return { specs: wanted.slice(0, room), isShort: wanted.length > room };
}

/** The caller holds the runner's row, so that free memory stays free until the commit. */
async function insertWaiting(tx: DatabaseTransaction, runnerId: string, specs: readonly WaitingSpec[]): Promise<void> {
  if (specs.length === 0) return;
  await sql`update runners set reserved_mb = reserved_mb + ${specs.length * warmReservedMb} where id = ${runnerId}`.execute(
    tx,
  );
  const ids = specs.map(() => uuidv7());
  await sql`
    insert into instances (id, pool, revision, runner_id, spec, reserved_mb)
    select made.id, made.pool, ${revision}, ${runnerId}, made.spec::jsonb, ${warmReservedMb}
    from unnest(${ids}::uuid[], ${specs.map(({ pool }) => pool)}::text[], ${specs.map(({ spec }) => spec)}::text[])
      as made(id, pool, spec)`.execute(tx);
}

import { type DatabaseTransaction, uuidv7 } from '@berth/database';
import { warmInstanceSpec, warmReservedMb } from '@berth/instances';
import { sql } from 'kysely';
import type { Dependencies } from '../run/dependencies.ts';
import { retireInstances } from '../run/retire-instances.ts';
import { loadPools } from './load.ts';
import { type PoolPlan, planPools } from './plan.ts';
import type { RecentUse } from './recent-use.ts';

/** Revision name of instances without an owner. */
const warmRevision = 'warm';
/** Pause before the next attempt when the runner has too little memory for its pools. */
const retryWhenFullMs = 30_000;

export interface AppliedPools {
  readonly started: number;
  readonly retired: number;
  readonly dueAt: number | undefined;
  readonly now: number;
}

/** Plans again under the lock on the runner's row and writes the plan. Undefined when the runner is not up any more. */
export async function applyPools(
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
  const due = [...(isShort ? [observed.now + retryWhenFullMs] : []), ...(plan.dueAt === undefined ? [] : [plan.dueAt])];
  return {
    started: specs.length,
    retired: retired.length,
    dueAt: due.length === 0 ? undefined : Math.min(...due),
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

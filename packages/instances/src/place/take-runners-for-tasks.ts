// Reserves memory on runners for many equal tasks at once: a run places hundreds of tasks, so it must not reserve the
// memory of each with a statement of its own. The runners are chosen without a lock, then locked in the order of their
// ids and read again, because other placements may have used their memory meanwhile.
import { type Database, type DatabaseTransaction, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import {
  type Candidate,
  freeMbFor,
  isolationFor,
  type Placement,
  type PlacementNeed,
  place,
  type TaskNeed,
} from './place.ts';
import { spreadTasks } from './spread-tasks.ts';
import type { TakenRunners } from './take-runners.ts';

export async function takeRunnersForTasks(
  tx: DatabaseTransaction,
  need: PlacementNeed,
  count: number,
  random: () => number,
): Promise<TakenRunners> {
  const runners = await loadRunners(tx);
  const chosen = idsOf(spreadTasks(runners, need, count, random));
  if (chosen.length === 0) return { placements: [], runners };
  await sql`select id from runners where id = any(${chosen}::uuid[]) order by id for no key update`.execute(tx);
  const locked = new Map((await loadRunners(tx, chosen)).map((runner) => [runner.id, runner]));
  // Runners that are not locked stay in the list as unusable, so that isolation does not fall back to runc.
  const usable = runners.map((runner) => locked.get(runner.id) ?? { ...runner, status: 'unusable' });
  const placements = spreadTasks(usable, need, count, random);
  await reserve(tx, placements, need.reservedMb);
  return { placements, runners };
}

const idsOf = (placements: readonly Placement[]): string[] => [...new Set(placements.map(({ runner }) => runner.id))];

/** One statement for all runners; their rows are locked. */
async function reserve(tx: DatabaseTransaction, placements: readonly Placement[], reservedMb: number): Promise<void> {
  if (placements.length === 0) return;
  const ids = idsOf(placements);
  const mb = ids.map((id) => reservedMb * placements.filter(({ runner }) => runner.id === id).length);
  await sql`
    update runners set reserved_mb = reserved_mb + taken.mb
    from unnest(${ids}::uuid[], ${mb}::int[]) as taken(id, mb) where runners.id = taken.id`.execute(tx);
}

type TaskRunner = Candidate & { readonly maxTasks: number };

/**
 * All runners, or those with the ids. An attempt is over as soon as its result is known; its container may stay until the
 * runner has removed it.
 */
async function loadRunners(database: Database, ids?: readonly string[]): Promise<TaskRunner[]> {
  const chosen = ids === undefined ? sql`true` : sql`id = any(${[...ids]}::uuid[])`;
  const { rows } = await sql<Candidate & { maxTasks: number; tasks: number }>`
    select id, status, region, isolation, memory_mb as "memoryMb", reserved_mb as "reservedMb",
      is_pressed as "isPressed", max_tasks as "maxTasks",
      (select count(*)::int from instances
        where runner_id = runners.id and execution_id is not null and result is null and ${unendedInstance()}) as tasks
    from runners where ${chosen}`.execute(database);
  return rows.map(({ tasks, ...runner }) => ({ ...runner, freeTasks: Math.max(0, runner.maxTasks - tasks) }));
}

/**
 * Whether a task can start now, or later once others have ended. `never`: runners of its isolation class run tasks in
 * these regions, and each is too small even when it is empty.
 */
export async function roomForTask(database: Database, need: PlacementNeed): Promise<'now' | 'later' | 'never'> {
  const runners = await loadRunners(database);
  if (place(runners, need, () => 0) !== undefined) return 'now';
  const inRegions = runners.filter(({ region }) => need.regions.includes(region));
  const isolation = isolationFor(inRegions, need);
  const offered = inRegions.filter((runner) => runner.maxTasks > 0 && runner.isolation.includes(isolation));
  const isTooSmall = (runner: Candidate): boolean => freeMbFor({ ...runner, reservedMb: 0 }, need) < need.reservedMb;
  return offered.length > 0 && offered.every(isTooSmall) ? 'never' : 'later';
}

export interface FreeForTasks {
  readonly mb: number;
  readonly tasks: number;
}

/** What all runners together have left for tasks. An upper bound: a task needs its memory on one runner. */
export async function freeForTasks(database: Database, task: TaskNeed): Promise<FreeForTasks> {
  const free = (await loadRunners(database)).filter(
    ({ status, isPressed, freeTasks = 0 }) => status === 'up' && !isPressed && freeTasks > 0,
  );
  return {
    mb: free.reduce((sum, runner) => sum + Math.max(0, freeMbFor(runner, { task })), 0),
    tasks: free.reduce((sum, { freeTasks = 0 }) => sum + freeTasks, 0),
  };
}

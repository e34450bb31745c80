// Chooses the runner of one instance: the least loaded of three picked at random. That is nearly as even as the best of
// all, and decisions made at the same moment do not all choose the same runner. Pure; the caller reserves the memory.
import type { IsolationClass } from '@berth/contract/node';
import type { IsolationNeed } from './runc-rule.ts';

export interface Candidate {
  readonly id: string;
  readonly status: string;
  readonly region: string;
  readonly isolation: readonly string[];
  readonly memoryMb: number;
  readonly reservedMb: number;
  /** The runner is short of memory or disk. */
  readonly isPressed: boolean;
  /** Tasks of jobs that it runs at once. Loaded for tasks only, like `freeTasks`. */
  readonly maxTasks?: number;
  /** Further tasks that it may run now. */
  readonly freeTasks?: number;
}

export interface PlacementNeed extends IsolationNeed {
  /** Names of the regions where the instance may run. */
  readonly regions: readonly string[];
  readonly reservedMb: number;
  /**
   * Runners that hold an instance of the same revision. Other runners are preferred, so that
   * not all instances fail together.
   */
  readonly holders: ReadonlySet<string>;
  /**
   * Waits instead of using a runner short of memory or disk. Otherwise such a runner is used when no other has room.
   */
  readonly avoidsPressure?: boolean;
  /** Set for a task of a job: it needs a runner that may run a further task, and leaves memory free for others. */
  readonly task?: TaskNeed | undefined;
}

export interface TaskNeed {
  /** Largest share of a runner's memory that is reserved after the task is placed. */
  readonly memoryShare: number;
}

export interface Placement {
  readonly runner: Candidate;
  readonly isolation: IsolationClass;
}

const sampleSize = 3;

export function place(
  candidates: readonly Candidate[],
  need: PlacementNeed,
  random: () => number,
): Placement | undefined {
  const registered = candidates.filter(({ region }) => need.regions.includes(region));
  const isolation = isolationFor(registered, need);
  const allowed = registered.filter(({ status }) => status === 'up');
  const fitting = allowed.filter(
    (runner) => runner.isolation.includes(isolation) && takesTask(runner, need) && hasRoom(runner, need),
  );
  const calm = fitting.filter(({ isPressed }) => !isPressed);
  const usable = calm.length > 0 || need.avoidsPressure === true ? calm : fitting;
  const fresh = usable.filter(({ id }) => !need.holders.has(id));
  const [runner] = sample(fresh.length > 0 ? fresh : usable, sampleSize, random).sort(byLoad);
  return runner === undefined ? undefined : { runner, isolation };
}

type MemoryNeed = Pick<PlacementNeed, 'reservedMb' | 'task'>;

/** Memory of the runner that the instance and others like it may still reserve. */
export const freeMbFor = ({ reservedMb, memoryMb }: Candidate, { task }: Pick<PlacementNeed, 'task'>): number =>
  Math.floor(memoryMb * (task?.memoryShare ?? 1)) - reservedMb;

export const hasRoom = (runner: Candidate, need: MemoryNeed): boolean => need.reservedMb <= freeMbFor(runner, need);

/** True for every instance that is not a task. */
export const takesTask = ({ freeTasks = 0 }: Candidate, { task }: Pick<PlacementNeed, 'task'>): boolean =>
  task === undefined || freeTasks > 0;

/**
 * Falls back to runc only when no registered runner has the wanted isolation, whatever its status: a runner
 * that is full or away is waited for. Otherwise an outage of the gVisor runners would put new code on a
 * shared kernel, where it stays.
 */
export function isolationFor(
  registered: readonly Candidate[],
  { isolation: wanted, mayFallBack }: IsolationNeed,
): IsolationClass {
  const isThere = registered.some(({ isolation }) => isolation.includes(wanted));
  return mayFallBack && !isThere ? 'runc' : wanted;
}

const byLoad = (left: Candidate, right: Candidate): number =>
  left.reservedMb / left.memoryMb - right.reservedMb / right.memoryMb;

function sample<Item>(items: readonly Item[], size: number, random: () => number): Item[] {
  const left = [...items];
  const taken: Item[] = [];
  while (taken.length < size && left.length > 0) {
    taken.push(...left.splice(Math.min(left.length - 1, Math.floor(random() * left.length)), 1));
  }
  return taken;
}

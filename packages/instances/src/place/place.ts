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
  const fitting = allowed.filter((runner) => runner.isolation.includes(isolation) && hasRoom(runner, need.reservedMb));
  const calm = fitting.filter(({ isPressed }) => !isPressed);
  const usable = calm.length > 0 || need.avoidsPressure === true ? calm : fitting;
  const fresh = usable.filter(({ id }) => !need.holders.has(id));
  const [runner] = sample(fresh.length > 0 ? fresh : usable, sampleSize, random).sort(byLoad);
  return runner === undefined ? undefined : { runner, isolation };
}

export const hasRoom = ({ reservedMb, memoryMb }: Candidate, neededMb: number): boolean =>
  reservedMb + neededMb <= memoryMb;

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

// Chooses the runner of one instance. Of three at random the least loaded one is taken: nearly as even as the best of all,
// and many that decide at the same moment do not all choose the same. Pure; whoever calls it reserves.
import type { IsolationClass } from '@berth/contract';
import type { Isolated } from './runc-rule.ts';

export interface Candidate {
  readonly id: string;
  readonly status: string;
  readonly region: string;
  readonly isolation: readonly string[];
  readonly memoryMb: number;
  readonly reservedMb: number;
  /** Its memory or disk is short. */
  readonly isPressed: boolean;
}

export interface Need extends Isolated {
  /** Names of the regions that it may run in. */
  readonly regions: readonly string[];
  readonly reservedMb: number;
  /** Runners that hold an instance of the same revision; others are better, so that not all end together. */
  readonly holders: ReadonlySet<string>;
  /** Rather waits than goes to a machine that is short of memory or disk; others go there when nobody else has room. */
  readonly avoidsPressure?: boolean;
}

export interface Placement {
  readonly runner: Candidate;
  readonly isolation: IsolationClass;
}

const choices = 3;

export function place(candidates: readonly Candidate[], need: Need, random: () => number): Placement | undefined {
  const registered = candidates.filter(({ region }) => need.regions.includes(region));
  const isolation = isolationFor(registered, need);
  const allowed = registered.filter(({ status }) => status === 'up');
  const fitting = allowed.filter((runner) => runner.isolation.includes(isolation) && hasRoom(runner, need.reservedMb));
  const calm = fitting.filter(({ isPressed }) => !isPressed);
  const usable = calm.length > 0 || need.avoidsPressure === true ? calm : fitting;
  const fresh = usable.filter(({ id }) => !need.holders.has(id));
  const [runner] = sample(fresh.length > 0 ? fresh : usable, choices, random).sort(byLoad);
  return runner === undefined ? undefined : { runner, isolation };
}

export const hasRoom = ({ reservedMb, memoryMb }: Candidate, neededMb: number): boolean =>
  reservedMb + neededMb <= memoryMb;

/**
 * One registered machine that has gVisor is enough for the others not to count, whatever its status: one that is full or away is waited
 * for. Otherwise an outage of those machines would put new code on a shared kernel, where it stays.
 */
export function isolationFor(
  registered: readonly Candidate[],
  { isolation: wanted, mayFallBack }: Isolated,
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

// Chooses the runner of one instance. Of three at random the least loaded one is taken: nearly as even as the best of all,
// and many that decide at the same moment do not all choose the same. Pure; whoever calls it reserves.
import type { IsolationClass } from '@berth/contract';

export interface Candidate {
  readonly id: string;
  readonly status: string;
  readonly region: string;
  readonly isolation: readonly string[];
  readonly memoryMb: number;
  readonly reservedMb: number;
}

export interface Need {
  /** Names of the regions that it may run in. */
  readonly regions: readonly string[];
  readonly isolation: IsolationClass;
  readonly reservedMb: number;
  /** Runners that hold an instance of the same revision; others are better, so that not all end together. */
  readonly holders: ReadonlySet<string>;
}

export interface Placement {
  readonly runner: Candidate;
  readonly isolation: IsolationClass;
}

const choices = 3;

export function place(candidates: readonly Candidate[], need: Need, random: () => number): Placement | undefined {
  const allowed = candidates.filter(({ region, status }) => status === 'up' && need.regions.includes(region));
  const isolation = isolationFor(allowed, need.isolation);
  const fitting = allowed.filter(
    (runner) => runner.isolation.includes(isolation) && runner.reservedMb + need.reservedMb <= runner.memoryMb,
  );
  const fresh = fitting.filter(({ id }) => !need.holders.has(id));
  const [runner] = sample(fresh.length > 0 ? fresh : fitting, choices, random).sort(byLoad);
  return runner === undefined ? undefined : { runner, isolation };
}

/** One machine that can isolate better is enough for the others not to count: a full one is waited for. */
function isolationFor(allowed: readonly Candidate[], preferred: IsolationClass): IsolationClass {
  return allowed.some(({ isolation }) => isolation.includes(preferred)) ? preferred : 'runc';
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

// Finds the processes that belong to a started process: by descent, by the group or session it leads, and by the mark
// that it passes on in the environment. The mark finds a server that went to the background and was adopted by process
// 1.
import { guestVariables } from '@berth/contract/guest';
import { type ProcessStat, processStats, procText } from './proc-files.ts';

export type ProcessIdentity = {
  pid: number;
  /** Key of the process in the helper; absent for a process that the guest did not start. */
  key?: string | undefined;
  /** Start time, so that a later process with the same pid is not taken for this one. */
  startTicks?: number | undefined;
};

/** All processes at one moment. Reading them costs two files for each, so one table serves many questions. */
export class ProcessTable {
  readonly #byPid = new Map(processStats().map((stat) => [stat.pid, stat]));
  #children: ReadonlyMap<number, ProcessStat[]> | undefined;
  #marked: ReadonlyMap<string, number[]> | undefined;

  /** Pids of living members, in ascending order. Pids are compared exactly: 12 is not 123. */
  membersOf({ pid, key, startTicks }: ProcessIdentity): number[] {
    const leader = this.#byPid.get(pid);
    // The kernel reuses a pid only when no group and no session is left under it.
    const isReused = leader !== undefined && leader.startTicks !== (startTicks ?? leader.startTicks);
    const own = isReused ? [] : [...this.#byPid.values()].filter((stat) => isOf(stat, pid));
    const members = new Set(own.map((stat) => stat.pid));
    if (key !== undefined) for (const marked of this.#pidsMarked(key)) members.add(marked);
    this.#addDescendants(members);
    return [...members].sort((a, b) => a - b);
  }

  groupOf(pid: number): number | undefined {
    return this.#byPid.get(pid)?.group;
  }

  #pidsMarked(key: string): readonly number[] {
    this.#marked ??= marksOf([...this.#byPid.keys()]);
    return this.#marked.get(key) ?? [];
  }

  #addDescendants(members: Set<number>): void {
    this.#children ??= Map.groupBy(this.#byPid.values(), (stat) => stat.parent);
    // Iteration over a set also visits elements that are added meanwhile, each once.
    for (const member of members) {
      for (const child of this.#children.get(member) ?? []) members.add(child.pid);
    }
  }
}

export const membersOf = (identity: ProcessIdentity): number[] => new ProcessTable().membersOf(identity);

const isOf = (stat: ProcessStat, pid: number): boolean =>
  stat.pid === pid || stat.group === pid || stat.session === pid;

const mark = new RegExp(`(?:^|\\0)${guestVariables.processKey.name}=([^\\0]*)(?=\\0)`, 'g');

/** Pids by the keys in their environments. */
function marksOf(pids: readonly number[]): ReadonlyMap<string, number[]> {
  const marked = new Map<string, number[]>();
  for (const pid of pids)
    for (const [, key = ''] of procText(`${pid}/environ`).matchAll(mark))
      marked.set(key, [...(marked.get(key) ?? []), pid]);
  return marked;
}

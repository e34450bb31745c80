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

/** Pids of living members, in ascending order. Pids are compared exactly: 12 is not 123. */
export function membersOf({ pid, key, startTicks }: ProcessIdentity): number[] {
  const stats = processStats();
  // The kernel reuses a pid only when no group and no session is left under it.
  const isReused = stats.some((stat) => stat.pid === pid && stat.startTicks !== (startTicks ?? stat.startTicks));
  const belongs = (stat: ProcessStat) =>
    (!isReused && isOf(stat, pid)) || (key !== undefined && isMarked(stat.pid, key));
  const members = new Set(stats.filter(belongs).map((stat) => stat.pid));
  addDescendants(members, stats);
  return [...members].sort((a, b) => a - b);
}

const isOf = (stat: ProcessStat, pid: number): boolean =>
  stat.pid === pid || stat.group === pid || stat.session === pid;

function isMarked(pid: number, key: string): boolean {
  const text = procText(`${pid}/environ`);
  const mark = `${guestVariables.processKey.name}=${key}\0`;
  return text.startsWith(mark) || text.includes(`\0${mark}`);
}

function addDescendants(members: Set<number>, stats: readonly ProcessStat[]): void {
  const children = Map.groupBy(stats, (stat) => stat.parent);
  // Iteration over a set also visits elements that are added meanwhile, each once.
  for (const member of members) {
    for (const child of children.get(member) ?? []) members.add(child.pid);
  }
}

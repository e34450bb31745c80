// Which processes belong to one that was started: by descent, by the group or session it leads, and by the mark that it passes
// on in the environment. The mark finds a server that went to the background and was adopted by process 1.
import { type ProcessStat, processStats, procText } from './proc-files.ts';

export type ProcessIdentity = {
  pid: number;
  /** Of the helper; absent for a process that the guest did not start. */
  key?: string | undefined;
  /** When it started. With it, a later process that was given the same number is not taken for it. */
  startTicks?: number | undefined;
};

export const KEY_VARIABLE = 'SANDBOX_PROCESS_KEY';

/** Living ones, in ascending order. Exact numbers: 12 is not 123. */
export function membersOf({ pid, key, startTicks }: ProcessIdentity): number[] {
  const stats = processStats();
  // The kernel gives a number away again only when no group and no session is left under it.
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
  const mark = `${KEY_VARIABLE}=${key}\0`;
  return text.startsWith(mark) || text.includes(`\0${mark}`);
}

function addDescendants(members: Set<number>, stats: readonly ProcessStat[]): void {
  const children = Map.groupBy(stats, (stat) => stat.parent);
  // A set that grows while it is walked visits what was added, each once.
  for (const member of members) {
    for (const child of children.get(member) ?? []) members.add(child.pid);
  }
}

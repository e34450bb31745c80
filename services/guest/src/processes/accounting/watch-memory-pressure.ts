import type { Guest } from '../../guest.ts';
import { processStat, processStats, procText } from '../../proc/proc-files.ts';
import { type Candidate, type Ended, groupToEnd, isShort, type Load, nextLookMs } from './memory-pressure.ts';

// Kernel version that gVisor reports, the same text in every release.
const gvisorVersion = /^Linux version \S+ #1 SMP Sun Jan 10 15:06:54 PST 2016/;
// Interval while memory is short: each look reads the memory of every process.
const shortageLookMs = 50;
const killSignal = 'SIGKILL';

export function isGvisor(): boolean {
  return gvisorVersion.test(procText('version'));
}

/** Polls until the result is called. */
export function watchPressure(guest: Guest): () => void {
  let timer: NodeJS.Timeout;
  let last: Ended | undefined;
  const look = () => {
    const load = loadNow();
    if (load !== undefined) last = isShort(load) ? endBiggest(guest, load, last) : undefined;
    timer = setTimeout(look, load === undefined || last !== undefined ? shortageLookMs : nextLookMs(load));
  };
  look();
  return () => clearTimeout(timer);
}

/** Returns the group that was ended last, by this call or before. */
function endBiggest(guest: Guest, load: Load, last: Ended | undefined): Ended | undefined {
  const found = candidates();
  const atMs = performance.now();
  const group = groupToEnd(found, last, atMs);
  if (group === undefined) return last;
  guest.log.line('guest', { level: 'warn', event: 'a process group was ended for want of memory', group, ...load });
  try {
    process.kill(-group, killSignal);
  } catch {
    // The group is already gone.
  }
  return { group, atMs, residentBytes: new Map(found.map(({ pid, residentBytes }) => [pid, residentBytes])) };
}

/** Every process except the helper, the guest, and the members of their groups. */
function candidates(): Candidate[] {
  const spared = new Set([1, process.pid, process.ppid]);
  const sparedGroups = new Set([...spared].map((pid) => processStat(pid)?.group));
  return processStats().flatMap(({ pid, group }) => {
    if (spared.has(pid) || group <= 1 || sparedGroups.has(group)) return [];
    return [{ pid, group, residentBytes: kilobytes(procText(`${pid}/status`), 'VmRSS') * 1024 }];
  });
}

function loadNow(): Load | undefined {
  const memory = procText('meminfo');
  const totalBytes = kilobytes(memory, 'MemTotal') * 1024;
  if (totalBytes === 0) return undefined;
  return { totalBytes, freeBytes: kilobytes(memory, 'MemAvailable') * 1024 };
}

function kilobytes(lines: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(lines)?.[1] ?? 0);
}

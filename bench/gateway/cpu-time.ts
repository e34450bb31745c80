import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** A tick is a hundredth of a second on every Linux. */
const microsecondsPerTick = 10_000;

interface Process {
  readonly parent: number;
  readonly ticks: number;
}

/** CPU time that these processes and all their descendants have used so far. */
export function cpuTimeUs(pids: readonly number[]): number {
  const all = processes();
  const isTheirs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) if (pids.includes(at)) return true;
    return false;
  };
  let ticks = 0;
  for (const [pid, process] of all) if (isTheirs(pid)) ticks += process.ticks;
  return ticks * microsecondsPerTick;
}

function processes(): Map<number, Process> {
  const found = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name is in brackets and may contain any character.
      const [, rest = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
      const fields = rest.split(' ').map(Number);
      found.set(Number(name), { parent: fields[1] ?? 0, ticks: (fields[11] ?? 0) + (fields[12] ?? 0) });
    } catch {
      // The process has ended since.
    }
  }
  return found;
}

/** Share of all CPUs that any process uses while nothing is measured. */
export async function busyShare(ms: number): Promise<number> {
  const before = busyMs();
  await sleep(ms);
  return (busyMs() - before) / (ms * cpus().length);
}

const busyMs = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

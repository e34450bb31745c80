// Usage and limits of the sandbox, from the control groups of either version. Isolated kernels show few of these files,
// and memory also in /proc/meminfo; an unknown value is null.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatsResponse } from '@berth/contract/guest';

type Usage = Pick<StatsResponse, 'memory' | 'cpu' | 'pids'>;
type Read = (path: string) => Promise<string | undefined>;

// Version 1 reports "no limit" as the largest number of pages it can hold.
const noLimitBytes = 2 ** 60;

/** `root` is `/` except in tests. */
export async function readUsage(root: string): Promise<Usage> {
  const read: Read = (path) => readFile(join(root, path), 'utf8').then(String, () => undefined);
  const isSecond = (await read('sys/fs/cgroup/cgroup.controllers')) !== undefined;
  const usage = isSecond ? await secondVersion(read) : await firstVersion(read);
  const machine = parseMeminfo(await read('proc/meminfo'));
  return {
    ...usage,
    memory: {
      usedBytes: usage.memory.usedBytes ?? machine.usedBytes,
      limitBytes: usage.memory.limitBytes ?? machine.totalBytes,
    },
  };
}

async function secondVersion(read: Read): Promise<Usage> {
  const file = (name: string) => read(`sys/fs/cgroup/${name}`);
  const [used, limit, cpuStat, cpuMax, pids, maxPids] = await Promise.all(
    ['memory.current', 'memory.max', 'cpu.stat', 'cpu.max', 'pids.current', 'pids.max'].map(file),
  );
  const usedMicroseconds = numberIn(/^usage_usec (\d+)$/m.exec(cpuStat ?? '')?.[1]);
  const [quota, period] = (cpuMax ?? '').split(' ');
  return {
    memory: { usedBytes: numberIn(used), limitBytes: numberIn(limit) },
    cpu: {
      usedSeconds: usedMicroseconds === null ? null : usedMicroseconds / 1e6,
      limitCores: ratio(numberIn(quota), numberIn(period)),
    },
    pids: { current: numberIn(pids), limit: numberIn(maxPids) },
  };
}

async function firstVersion(read: Read): Promise<Usage> {
  const file = (name: string) => read(`sys/fs/cgroup/${name}`);
  const [used, limit, cpuUsed, quota, period, pids, maxPids] = await Promise.all(
    [
      'memory/memory.usage_in_bytes',
      'memory/memory.limit_in_bytes',
      'cpuacct/cpuacct.usage',
      'cpu/cpu.cfs_quota_us',
      'cpu/cpu.cfs_period_us',
      'pids/pids.current',
      'pids/pids.max',
    ].map(file),
  );
  const limitBytes = numberIn(limit);
  const usedNanoseconds = numberIn(cpuUsed);
  return {
    memory: {
      usedBytes: numberIn(used),
      limitBytes: limitBytes !== null && limitBytes < noLimitBytes ? limitBytes : null,
    },
    cpu: {
      usedSeconds: usedNanoseconds === null ? null : usedNanoseconds / 1e9,
      limitCores: ratio(numberIn(quota), numberIn(period)),
    },
    pids: { current: numberIn(pids), limit: numberIn(maxPids) },
  };
}

function parseMeminfo(text: string | undefined): { usedBytes: number | null; totalBytes: number | null } {
  const field = (name: string) => numberIn(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text ?? '')?.[1]);
  const [total, available] = [field('MemTotal'), field('MemAvailable')];
  if (total === null) return { usedBytes: null, totalBytes: null };
  return { usedBytes: available === null ? null : (total - available) * 1024, totalBytes: total * 1024 };
}

/** Null for `max` and -1, which mean no limit. */
function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : null;
}

const ratio = (a: number | null, b: number | null): number | null => (a === null || !b ? null : a / b);

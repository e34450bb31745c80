import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readUsage } from './usage.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'usage-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function plant(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

it('usage is read from control groups of version 2', async () => {
  await plant({
    'sys/fs/cgroup/cgroup.controllers': 'cpu memory pids\n',
    'sys/fs/cgroup/memory.current': '1048576\n',
    'sys/fs/cgroup/memory.max': '2097152\n',
    'sys/fs/cgroup/cpu.stat': 'usage_usec 2500000\nuser_usec 1\n',
    'sys/fs/cgroup/cpu.max': '150000 100000\n',
    'sys/fs/cgroup/pids.current': '7\n',
    'sys/fs/cgroup/pids.max': '100\n',
  });
  expect(await readUsage(root)).toEqual({
    memory: { usedBytes: 1048576, limitBytes: 2097152 },
    cpu: { usedSeconds: 2.5, limitCores: 1.5 },
    pids: { current: 7, limit: 100 },
  });
});

it('usage is read from control groups of version 1, where the largest number means no limit', async () => {
  await plant({
    'sys/fs/cgroup/memory/memory.usage_in_bytes': '1000\n',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    'sys/fs/cgroup/cpuacct/cpuacct.usage': '3000000000\n',
    'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    'sys/fs/cgroup/pids/pids.current': '3\n',
    'sys/fs/cgroup/pids/pids.max': 'max\n',
  });
  expect(await readUsage(root)).toEqual({
    memory: { usedBytes: 1000, limitBytes: null },
    cpu: { usedSeconds: 3, limitCores: null },
    pids: { current: 3, limit: null },
  });
});

it('without control groups memory comes from meminfo, and the rest is null', async () => {
  await plant({ 'proc/meminfo': 'MemTotal:        2048 kB\nMemFree:  1 kB\nMemAvailable:    1024 kB\n' });
  expect(await readUsage(root)).toEqual({
    memory: { usedBytes: 1024 * 1024, limitBytes: 2048 * 1024 },
    cpu: { usedSeconds: null, limitCores: null },
    pids: { current: null, limit: null },
  });
});

it('missing values are null', async () => {
  expect(await readUsage(root)).toEqual({
    memory: { usedBytes: null, limitBytes: null },
    cpu: { usedSeconds: null, limitCores: null },
    pids: { current: null, limit: null },
  });
});

// The kernel's freezer, in both versions of cgroups, on a process of this machine.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { runName } from '../../../../engines/run.ts';
import { freezeGroup, isGroupFrozen, thawGroup } from '../../src/machine/cgroup/freeze.ts';

const soon = { timeout: 30_000, interval: 20 };
const trees = [
  { version: 1, root: '/sys/fs/cgroup/freezer' },
  { version: 2, root: '/sys/fs/cgroup/unified' },
  { version: 2, root: '/sys/fs/cgroup' },
] as const;
const here = trees.filter(({ version, root }) =>
  existsSync(join(root, version === 1 ? 'release_agent' : 'cgroup.controllers')),
);

test.each(here)(
  'the kernel’s own freezer: version $version in $root stops a process and lets it go on',
  async ({ version, root }) => {
    const folder = join(root, runName('freezer'));
    await mkdir(folder);
    const child = spawn('sh', ['-c', 'while :; do echo tick; sleep 0.02; done']);
    onTestFinished(async () => {
      await thawGroup({ version, folder });
      child.kill('SIGKILL');
      await expect
        .poll(
          () =>
            rmdir(folder).then(
              () => true,
              () => false,
            ),
          soon,
        )
        .toBe(true);
    });
    let ticks = 0;
    child.stdout.on('data', () => {
      ticks += 1;
    });
    await writeFile(join(folder, 'cgroup.procs'), String(child.pid));
    await freezeGroup({ version, folder });
    await freezeGroup({ version, folder });
    expect(await isGroupFrozen({ version, folder })).toBe(true);
    // Output from before the freeze may still arrive; a process that is not frozen never stops ticking.
    const ticksMeanwhile = async () => {
      const from = ticks;
      await sleep(500);
      return ticks - from;
    };
    await expect.poll(ticksMeanwhile, soon).toBe(0);
    const before = ticks;
    await thawGroup({ version, folder });
    await thawGroup({ version, folder });
    expect(await isGroupFrozen({ version, folder })).toBe(false);
    await expect.poll(() => ticks, soon).toBeGreaterThan(before + 3);
  },
);

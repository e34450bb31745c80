// Freezes and thaws all processes of a cgroup.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cgroup } from './find.ts';

interface Way {
  /** File that requests the state, and the values to write. */
  readonly file: string;
  readonly frozen: string;
  readonly thawed: string;
  /** File in which the kernel reports that all processes are frozen. */
  readonly stateFile: string;
  isFrozen(text: string): boolean;
}

const ways: Readonly<Record<Cgroup['version'], Way>> = {
  1: {
    file: 'freezer.state',
    frozen: 'FROZEN',
    thawed: 'THAWED',
    stateFile: 'freezer.state',
    isFrozen: (text) => text.trim() === 'FROZEN',
  },
  2: {
    file: 'cgroup.freeze',
    frozen: '1',
    thawed: '0',
    stateFile: 'cgroup.events',
    isFrozen: (text) => /^frozen 1$/m.test(text),
  },
};

/** A process in uninterruptible sleep, for example waiting for a disk, freezes only afterwards. */
const freezeMs = 2_000;
const lookMs = 5;

/** Throws when some process does not freeze in time; then all of them are thawed. */
export async function freezeGroup(group: Cgroup): Promise<void> {
  const { file, frozen } = ways[group.version];
  const giveUpAt = performance.now() + freezeMs;
  do {
    // Written again each time: v1 misses processes that were forked in between.
    await writeFile(join(group.folder, file), frozen);
    if (await isGroupFrozen(group)) return;
    await sleep(lookMs);
  } while (performance.now() < giveUpAt);
  await thawGroup(group);
  throw new Error(`Its processes did not stand still within ${freezeMs} ms.`);
}

export async function thawGroup({ version, folder }: Cgroup): Promise<void> {
  const { file, thawed } = ways[version];
  await writeFile(join(folder, file), thawed);
}

export async function isGroupFrozen({ version, folder }: Cgroup): Promise<boolean> {
  const { stateFile, isFrozen } = ways[version];
  return isFrozen(await readFile(join(folder, stateFile), 'utf8'));
}

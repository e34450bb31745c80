// Stops every process of a group where it stands, and lets it go on.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cgroup } from './find.ts';

interface Way {
  /** Where it is asked for, and with which words. */
  readonly file: string;
  readonly frozen: string;
  readonly thawed: string;
  /** Where the kernel says that all of it stands still. */
  readonly told: string;
  isFrozen(text: string): boolean;
}

const ways: Readonly<Record<Cgroup['version'], Way>> = {
  1: {
    file: 'freezer.state',
    frozen: 'FROZEN',
    thawed: 'THAWED',
    told: 'freezer.state',
    isFrozen: (text) => text.trim() === 'FROZEN',
  },
  2: {
    file: 'cgroup.freeze',
    frozen: '1',
    thawed: '0',
    told: 'cgroup.events',
    isFrozen: (text) => /^frozen 1$/m.test(text),
  },
};

/** A process that waits for a disk, say, stands still only afterwards. */
const freezeMs = 2_000;
const lookMs = 5;

/** Throws when some process does not stand still in time; then all of them go on. */
export async function freezeGroup(group: Cgroup): Promise<void> {
  const { file, frozen } = ways[group.version];
  const giveUpAt = performance.now() + freezeMs;
  do {
    // Said again each time: version 1 forgets those who were born in between.
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
  const { told, isFrozen } = ways[version];
  return isFrozen(await readFile(join(folder, told), 'utf8'));
}

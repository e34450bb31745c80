// Finds cgroups by name in every hierarchy: one hierarchy per controller (version 1), or a single one (version 2).
import { existsSync } from 'node:fs';
import { readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcesses } from './processes.ts';

const root = '/sys/fs/cgroup';
const endTimeoutSeconds = 30;

/** Folders at the top of each hierarchy whose name matches. */
export async function cgroupsWhere(choice: (name: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const hierarchy of ['.', ...(await foldersIn(root))]) {
    const names = (await foldersIn(join(root, hierarchy))).filter(choice);
    found.push(...names.map((name) => join(root, hierarchy, name)));
  }
  return found;
}

export async function processesIn(cgroups: readonly string[]): Promise<number[]> {
  const pids = new Set<number>();
  for (const file of await filesBelow(cgroups, 'cgroup.procs')) {
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const line of text.split('\n').filter(Boolean)) pids.add(Number(line));
  }
  return [...pids];
}

/** With version 1 a frozen process takes no signal. */
export async function thaw(cgroups: readonly string[]): Promise<void> {
  for (const file of await filesBelow(cgroups, 'freezer.state')) await writeFile(file, 'THAWED').catch(() => {});
}

/** Sends SIGKILL. */
export async function killProcessesIn(cgroups: readonly string[]): Promise<void> {
  await thaw(cgroups);
  await endProcesses(await processesIn(cgroups), 'SIGKILL', endTimeoutSeconds);
}

/** A process leaves its cgroup a moment after it has ended, and the cgroup is busy until then. */
export async function removeCgroup(cgroup: string): Promise<void> {
  const deadline = Date.now() + endTimeoutSeconds * 1_000;
  for (;;) {
    for (const name of await foldersIn(cgroup)) await removeCgroup(join(cgroup, name));
    try {
      return await rmdir(cgroup);
    } catch (error) {
      if (!existsSync(cgroup)) return;
      if (Date.now() > deadline) throw error;
      await sleep(10);
    }
  }
}

async function filesBelow(cgroups: readonly string[], name: string): Promise<string[]> {
  const found: string[] = [];
  for (const cgroup of cgroups) {
    // The cgroup disappears when its container ends.
    const paths = await readdir(cgroup, { recursive: true }).catch(() => []);
    found.push(...paths.filter((path) => path.endsWith(name)).map((path) => join(cgroup, path)));
  }
  return found;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

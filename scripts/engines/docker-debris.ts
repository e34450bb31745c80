// What a Docker Engine can leave behind once it has ended: processes of containers, mounts, bridges, cgroups. All of it
// is recognised by the engine's own data folder or cgroup; nothing of another engine is touched.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type DockerFolder, savedNetns } from './docker-config.ts';
import { endProcesses, processesWhere } from './processes.ts';

const CGROUPS = '/sys/fs/cgroup';
const PROGRAMS = /^(containerd|runc|runsc|docker-proxy)/;
const END_TIMEOUT_SECONDS = 10;

export async function removeDebris(dataFolder: string, folder: DockerFolder, bridges: readonly string[]) {
  // Shims first: they would report, and the engine's other processes are of no use without them.
  await endProcesses(await programs(folder), 'SIGKILL', END_TIMEOUT_SECONDS);
  await thaw(folder);
  await endProcesses(await containerProcesses(folder), 'SIGKILL', END_TIMEOUT_SECONDS);
  for (const mount of await mountsBelow(dataFolder)) run('umount', ['--lazy', mount]);
  const netns = await savedNetns(folder);
  for (const bridge of bridges) {
    const command = ['ip', 'link', 'delete', bridge];
    const [program = '', ...args] = netns ? ['nsenter', `--net=${netns}`, '--', ...command] : command;
    run(program, args);
  }
  for (const cgroup of await cgroupFolders(folder)) await removeCgroup(cgroup);
}

/** Empty when the engine left nothing; tests read it too. */
export async function debris(dataFolder: string, folder: DockerFolder): Promise<string[]> {
  return [
    ...(await programs(folder)).map((pid) => `process ${pid}`),
    ...(await containerProcesses(folder)).map((pid) => `container process ${pid}`),
    ...(await mountsBelow(dataFolder)).map((mount) => `mount ${mount}`),
    ...(await cgroupFolders(folder)).map((cgroup) => `cgroup ${cgroup}`),
  ];
}

/** A person reading the log with `tail` names the folder too: so only the engine's programs count. */
function programs({ execRoot }: DockerFolder): Promise<number[]> {
  return processesWhere(
    ([program = '', ...words]) => PROGRAMS.test(basename(program)) && words.some((word) => word.includes(execRoot)),
  );
}

async function containerProcesses(folder: DockerFolder): Promise<number[]> {
  const pids = new Set<number>();
  for (const cgroup of await cgroupFolders(folder)) {
    for (const path of await readdir(cgroup, { recursive: true }).catch(() => [])) {
      if (!path.endsWith('cgroup.procs')) continue;
      const lines = (await readFile(join(cgroup, path), 'utf8').catch(() => '')).split('\n').filter(Boolean);
      for (const line of lines) pids.add(Number(line));
    }
  }
  return [...pids];
}

/** A frozen process takes no signal, not even SIGKILL. */
async function thaw(folder: DockerFolder): Promise<void> {
  for (const cgroup of await cgroupFolders(folder)) {
    const states = (await readdir(cgroup, { recursive: true })).filter((path) => path.endsWith('freezer.state'));
    for (const state of states) await writeFile(join(cgroup, state), 'THAWED').catch(() => {});
  }
}

/** Innermost first, as they must be unmounted. */
async function mountsBelow(dataFolder: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n');
  const points = lines.map((line) => line.split(' ')[1] ?? '');
  return points.filter((point) => point.startsWith(`${dataFolder}/`)).reverse();
}

/** One below each controller (version 1), or one (version 2). */
async function cgroupFolders({ cgroup }: DockerFolder): Promise<string[]> {
  const hierarchies = ['.', ...(await readdir(CGROUPS).catch(() => []))];
  return hierarchies.map((hierarchy) => join(CGROUPS, hierarchy, cgroup)).filter((path) => existsSync(path));
}

async function removeCgroup(cgroup: string): Promise<void> {
  for (const entry of await readdir(cgroup, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeCgroup(join(cgroup, entry.name));
  }
  await rmdir(cgroup);
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  const gone = stderr?.includes('Cannot find device') || stderr?.includes('not mounted');
  if (status !== 0 && !gone) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}

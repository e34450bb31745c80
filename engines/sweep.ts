// Removes everything that a run made. A run that ends in order removes itself. A killed run is abandoned, and swept by
// the next run or by `pnpm engines down`.
import { spawnSync } from 'node:child_process';
import { readdir, readlink, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cgroupsWhere, killProcessesIn, removeCgroup, thaw } from './cgroups.ts';
import { claimName } from './claim-name.ts';
import { docker } from './docker.ts';
import { dockerFolder } from './docker-config.ts';
import { killContainers, removeDebris } from './docker-debris.ts';
import type { Engine } from './engine.ts';
import { engineFolder } from './folders.ts';
import { loopDevicesBelow, mountsBelow } from './mounts.ts';
import { allProcesses, endProcesses, send, variableOf } from './processes.ts';
import { engines } from './registry.ts';
import { folderOfRun, linksOfRun, markPattern, namesOfRun, ownerLives, runVariable } from './run.ts';

const namespaces = '/run/netns';
const endTimeoutSeconds = 60;
const loopTimeoutSeconds = 30;
const lockTimeoutSeconds = 900;

export type SweptRun = { readonly mark: string; readonly error?: unknown };

/** Removes every run whose owner has ended. A failed removal does not stop the removal of the other runs. */
export async function sweepAbandonedRuns(): Promise<SweptRun[]> {
  await using _lock = await lockSweep();
  const swept: SweptRun[] = [];
  for (const mark of await abandonedRuns()) {
    try {
      await removeRun(mark);
      swept.push({ mark });
    } catch (error) {
      swept.push({ mark, error });
    }
  }
  return swept;
}

/**
 * Two concurrent sweeps would each fail on what the other has just removed. The kernel releases the name of a killed
 * sweep.
 */
async function lockSweep(): Promise<AsyncDisposable> {
  const deadline = Date.now() + lockTimeoutSeconds * 1_000;
  for (;;) {
    const name = await claimName('sweep');
    if (name !== undefined) return { [Symbol.asyncDispose]: () => new Promise((closed) => name.close(() => closed())) };
    if (Date.now() > deadline) throw new Error(`Another sweep has been running for ${lockTimeoutSeconds} s. End it.`);
    await sleep(50);
  }
}

/** Finds abandoned runs by their folders, and by processes that outlived the folder. */
async function abandonedRuns(): Promise<string[]> {
  const marks = new Set(await readdir(await engineFolder('run')));
  for (const pid of await allProcesses()) marks.add((await variableOf(pid, runVariable)) ?? '');
  return [...marks].filter((mark) => markPattern.test(mark) && !ownerLives(mark));
}

/** Keeps processes for which `isSpared` holds, and always this process. */
export async function removeRun(mark: string, isSpared: (pid: number) => boolean = () => false): Promise<void> {
  const folder = await folderOfRun(mark);
  // The first process of a box ends only after all others of the box, and frozen ones would stay.
  await thaw(await cgroupsOf(mark));
  const ended = async (pid: number) => pid !== process.pid && !isSpared(pid);
  // Processes that could start more end first. Engines work below the folder and are stopped in order afterwards.
  await killProcesses(mark, async (pid) => (await ended(pid)) && !(await worksBelow(folder, pid)));
  const found = await enginesBelow(folder);
  await Promise.allSettled(found.map(stopEngine));
  await killProcessesIn(await cgroupsOf(mark));
  await killProcesses(mark, ended);
  for (const { engine, dataFolder } of found) {
    if (engine.name === docker.name) await removeDebris(dataFolder, dockerFolder(dataFolder), []);
  }
  await unmount(folder);
  await detachLoopDevices(folder);
  for (const link of await linksOf(mark)) run('ip', 'link', 'delete', link);
  for (const name of await namespacesOf(mark)) run('ip', 'netns', 'delete', name);
  for (const cgroup of await cgroupsOf(mark)) await removeCgroup(cgroup);
  await rm(folder, { recursive: true, force: true });
}

type Found = { readonly engine: Engine; readonly dataFolder: string };

/** Stops every engine in a folder, and removes the folder. */
export async function removeEngines(folder: string): Promise<void> {
  for (const { engine, dataFolder } of await enginesIn(folder)) await engine.stop(dataFolder);
  await rm(folder, { recursive: true, force: true });
}

/** An engine's folder is `<engine>`, or `<engine>-<anything>` where there may be several. */
async function enginesIn(folder: string): Promise<Found[]> {
  return (await foldersIn(folder)).flatMap((dataFolder) => {
    const engine = engines.find(({ name }) => `${basename(dataFolder)}-`.startsWith(`${name}-`));
    return engine === undefined ? [] : [{ engine, dataFolder }];
  });
}

/** Engines of the run itself, and of the fleets, deployments and benches that have a folder in it. */
async function enginesBelow(folder: string): Promise<Found[]> {
  const inner = await Promise.all((await foldersIn(folder)).map(enginesIn));
  return [...(await enginesIn(folder)), ...inner.flat()];
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

/** Containers are killed without a graceful stop: the engine only has to name its bridges. */
async function stopEngine({ engine, dataFolder }: Found): Promise<void> {
  if (engine.name === docker.name) await killContainers(dockerFolder(dataFolder));
  await engine.stop(dataFolder);
}

/** Repeats until no process is left: a process that is about to end may still start another. */
async function killProcesses(mark: string, choice: (pid: number) => Promise<boolean>): Promise<void> {
  for (;;) {
    const pids = await processesOf(mark);
    const chosen = await Promise.all(pids.map(choice));
    const ending = pids.filter((_, index) => chosen[index]);
    if (ending.length === 0) break;
    await endProcesses(ending, 'SIGKILL', endTimeoutSeconds);
  }
  // An engine stopped by a signal could not end in order.
  for (const pid of await processesOf(mark)) send(pid, 'SIGCONT');
}

/**
 * Processes with the mark, and processes inside a network namespace of the run: some programs overwrite their
 * environment.
 */
async function processesOf(mark: string): Promise<number[]> {
  const names = await namespacesOf(mark);
  const networks = new Set(await Promise.all(names.map((name) => inodeOf(join(namespaces, name)))));
  const pids = await allProcesses();
  const belongs = await Promise.all(
    pids.map(async (pid) => {
      if ((await variableOf(pid, runVariable)) === mark) return true;
      const network = await inodeOf(`/proc/${pid}/ns/net`);
      return network !== undefined && networks.has(network);
    }),
  );
  return pids.filter((_, index) => belongs[index]);
}

const inodeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ ino }) => ino,
    () => undefined,
  );

async function worksBelow(folder: string, pid: number): Promise<boolean> {
  const path = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  return `${path}/`.startsWith(`${folder}/`);
}

async function namespacesOf(mark: string): Promise<string[]> {
  return (await readdir(namespaces).catch(() => [])).filter((name) => name.startsWith(namesOfRun(mark)));
}

async function linksOf(mark: string): Promise<string[]> {
  return (await readdir('/sys/class/net')).filter((name) => name.startsWith(linksOfRun(mark)));
}

const cgroupsOf = (mark: string): Promise<string[]> => cgroupsWhere((name) => name.startsWith(namesOfRun(mark)));

/** Unmounts busy mounts lazily. No mount may stay: removing the folder would delete the mounted files. */
async function unmount(folder: string): Promise<void> {
  for (const point of await mountsBelow(folder)) {
    if (run('umount', point) !== 0) run('umount', '--lazy', point);
  }
  const [left] = await mountsBelow(folder);
  if (left !== undefined) throw new Error(`${left} is still mounted. Unmount it, then run the command again.`);
}

/** Loop devices disappear with their mounts, a moment later. */
async function detachLoopDevices(folder: string): Promise<void> {
  const deadline = Date.now() + loopTimeoutSeconds * 1_000;
  for (;;) {
    const [device] = await loopDevicesBelow(folder);
    if (device === undefined) return;
    run('losetup', '--detach', device);
    if (Date.now() > deadline) throw new Error(`${device} is still in use. Run "losetup --detach ${device}".`);
    await sleep(50);
  }
}

const run = (program: string, ...args: readonly string[]): number | null => spawnSync(program, args).status;

// Docker Engine with its own containerd. Containers survive a crash of the engine (live-restore), so an orderly stop
// ends the containers, then the engine, then all remains.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '@berth/concurrency';
import { environment } from '@berth/telemetry';
import { z } from 'zod';
import { requireDebianPackages } from './debian-packages.ts';
import { callDocker } from './docker-api.ts';
import { type DockerFolder, type DockerOptions, dockerFolder, savedNetns, writeDockerConfig } from './docker-config.ts';
import { removeDebris } from './docker-debris.ts';
import type { Engine, RunningEngine } from './engine.ts';
import { seedImages } from './image-seed.ts';
import { endProcesses, processesWhere } from './processes.ts';
import { runEnvironment } from './run.ts';

const startTimeoutSeconds = 60;
const stopTimeoutSeconds = 30;
// Waking hundreds of containers at once to stop them would take the whole machine.
const stopsAtOnce = 8;
// After a crash the old containerd may hold its files for a moment, and then the engine fails to start.
const startAttempts = 3;
// Path of Debian's package, and of Docker's own packages.
const programs = ['/usr/sbin/dockerd', '/usr/bin/dockerd'];
const program = () => programs.find((path) => existsSync(path)) ?? '/usr/sbin/dockerd';

export const docker = {
  name: 'docker',

  async install() {
    requireDebianPackages('Docker Engine', ['docker.io', 'iproute2'], [program(), '/sbin/ip']);
  },

  async start(options: DockerOptions): Promise<RunningEngine> {
    await docker.install();
    if (process.getuid?.() !== 0) throw new Error('Docker Engine needs root. Run the command again as root.');
    const folder = await writeDockerConfig(options);
    await seedImages(options.dataFolder);
    await forgetEndedProcesses(folder);
    const pid = await launch(folder, options.dataFolder);
    return { url: folder.url, pid, stop: () => docker.stop(options.dataFolder) };
  },

  async ready(url: string) {
    return callDocker(url, 'GET /_ping', { timeoutSeconds: 2 }).then(
      () => true,
      () => false,
    );
  },

  async stop(dataFolder: string) {
    const folder = dockerFolder(dataFolder);
    // The pid file of a killed engine is still there. Only the engine knows its networks, so it is started once more.
    const killed = existsSync(folder.pidFile) && (await enginePids(folder)).length === 0;
    if (killed) await docker.start({ dataFolder });
    const pids = await enginePids(folder);
    const bridges = pids.length > 0 ? await endContainers(folder.url) : [];
    await endProcesses(pids, 'SIGTERM', stopTimeoutSeconds);
    await removeDebris(dataFolder, folder, bridges);
  },
} satisfies Engine;

const enginePids = ({ config }: DockerFolder): Promise<number[]> =>
  processesWhere(([path = '', ...words]) => programs.includes(path) && words.includes(config));

/** A stale pid file may name the pid of another process, and then the engine would refuse to start. */
async function forgetEndedProcesses(folder: DockerFolder): Promise<void> {
  if ((await enginePids(folder)).length > 0) return;
  await rm(folder.pidFile, { force: true });
  const containerdPid = join(folder.execRoot, 'containerd', 'containerd.pid');
  const running = await processesWhere((words) => words.includes(join(folder.execRoot, 'containerd/containerd.toml')));
  const named = Number(await readFile(containerdPid, 'utf8').catch(() => '0'));
  if (!running.includes(named)) await rm(containerdPid, { force: true });
}

async function launch(folder: DockerFolder, dataFolder: string): Promise<number> {
  const netns = await savedNetns(folder);
  const command = [program(), '--config-file', folder.config];
  // `ip netns exec` would hide the cgroups.
  const [first = '', ...args] = netns ? ['nsenter', `--net=${netns}`, '--', ...command] : command;
  const log = openSync(folder.log, 'a', 0o644);
  const deadline = Date.now() + startTimeoutSeconds * 1_000;
  for (let attempt = 1; attempt <= startAttempts; attempt += 1) {
    const child = spawn(first, args, {
      cwd: dataFolder,
      // A root shell from `su` may lack these folders, where the engine finds runc and containerd.
      env: { PATH: `${environment.PATH}:/usr/sbin:/sbin`, ...runEnvironment() },
      stdio: ['ignore', log, log],
      detached: true,
    });
    child.on('error', () => {});
    child.unref();
    while (!hasEnded(child) && Date.now() < deadline) {
      if (await docker.ready(folder.url)) return child.pid ?? 0;
      await sleep(25);
    }
  }
  throw new Error(
    `Docker Engine did not start. Its log ends with:\n${(await readFile(folder.log, 'utf8')).slice(-2_000)}`,
  );
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

const Containers = z.array(z.object({ Id: z.string() }));
const Inspected = z.object({ State: z.object({ Pid: z.number().positive(), Paused: z.boolean() }) });
const Networks = z.array(z.object({ Id: z.string(), Options: z.record(z.string(), z.string()).nullable() }));

/**
 * Ends all containers and returns their bridges, which the engine would leave behind. A later start creates them again.
 */
async function endContainers(url: string): Promise<string[]> {
  const running = Containers.parse(await json(url, 'GET /containers/json'));
  const stops = new Semaphore(stopsAtOnce);
  await Promise.all(
    running.map(({ Id }) =>
      stops.run(async () => {
        await goOn(url, Id);
        await callDocker(url, `POST /containers/${Id}/stop?t=2`);
      }),
    ),
  );
  const filters = encodeURIComponent(JSON.stringify({ driver: ['bridge'] }));
  const networks = Networks.parse(await json(url, `GET /networks?filters=${filters}`));
  return networks.map(({ Id, Options }) => Options?.['com.docker.network.bridge.name'] ?? `br-${Id.slice(0, 12)}`);
}

/**
 * A frozen container would not react to the stop. Errors are ignored: the container may have been woken or have ended
 * without the engine's knowledge.
 */
async function goOn(url: string, id: string): Promise<void> {
  try {
    const { State } = Inspected.parse(await json(url, `GET /containers/${id}/json`));
    // The process of a gVisor container may itself be stopped by a signal, and would not react to the unpause.
    process.kill(State.Pid, 'SIGCONT');
    if (State.Paused) await callDocker(url, `POST /containers/${id}/unpause`);
  } catch {}
}

const json = async (url: string, call: string): Promise<unknown> =>
  JSON.parse((await callDocker(url, call)).body.toString());

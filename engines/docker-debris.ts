// Remains of a Docker Engine that has ended: container processes, mounts, bridges, cgroups. They are identified by the
// engine's own data folder or cgroup; other engines are not touched.
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { cgroupsWhere, killProcessesIn, processesIn, removeCgroup } from './cgroups.ts';
import { type DockerFolder, savedNetns } from './docker-config.ts';
import { mountsBelow } from './mounts.ts';
import { endProcesses, processesWhere } from './processes.ts';

const programNames = /^(containerd|runc|runsc|docker-proxy)/;
const endTimeoutSeconds = 10;

export async function removeDebris(dataFolder: string, folder: DockerFolder, bridges: readonly string[]) {
  // Shims end first: they would report the end of their containers, and the engine's other processes are useless
  // without them.
  await endProcesses(await programs(folder), 'SIGKILL', endTimeoutSeconds);
  await killContainers(folder);
  for (const mount of await mountsBelow(dataFolder)) run('umount', ['--lazy', mount]);
  const netns = await savedNetns(folder);
  for (const bridge of bridges) {
    const command = ['ip', 'link', 'delete', bridge];
    const [program = '', ...args] = netns ? ['nsenter', `--net=${netns}`, '--', ...command] : command;
    run(program, args);
  }
  for (const cgroup of await cgroupFolders(folder)) await removeCgroup(cgroup);
}

/** Sends SIGKILL to every process of every container, also of frozen ones. */
export async function killContainers(folder: DockerFolder): Promise<void> {
  await killProcessesIn(await cgroupFolders(folder));
}

/** Empty when the engine left nothing; tests use it too. */
export async function debris(dataFolder: string, folder: DockerFolder): Promise<string[]> {
  const cgroups = await cgroupFolders(folder);
  return [
    ...(await programs(folder)).map((pid) => `process ${pid}`),
    ...(await processesIn(cgroups)).map((pid) => `container process ${pid}`),
    ...(await mountsBelow(dataFolder)).map((mount) => `mount ${mount}`),
    ...cgroups.map((cgroup) => `cgroup ${cgroup}`),
  ];
}

/** Only the engine's programs count: a developer's `tail` of the log names the folder too. */
function programs({ execRoot }: DockerFolder): Promise<number[]> {
  return processesWhere(
    ([program = '', ...words]) => programNames.test(basename(program)) && words.some((word) => word.includes(execRoot)),
  );
}

const cgroupFolders = ({ cgroup }: DockerFolder): Promise<string[]> => cgroupsWhere((name) => name === cgroup);

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  const gone = stderr?.includes('Cannot find device') || stderr?.includes('not mounted');
  if (status !== 0 && !gone) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}

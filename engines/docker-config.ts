// All files of a Docker Engine are below its data folder, so that several engines run side by side and the machine's
// own Docker (/etc/docker, /var/lib/docker, /run/docker) is neither read nor written.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartOptions } from './engine.ts';
import { installedRunsc } from './gvisor.ts';

export type DockerOptions = StartOptions & {
  /** Path of an existing network namespace, such as /run/netns/a; the machine's own when left out. */
  netns?: string;
  /** Address ranges of registries that need no TLS, besides loopback. */
  openRegistries?: readonly string[];
  /** Size limit of a gVisor container's writable layer, in gVisor's notation. */
  gvisorLayerSize?: string;
};

export type DockerFolder = {
  config: string;
  execRoot: string;
  pidFile: string;
  log: string;
  url: string;
  /** Parent cgroup of all containers, in every hierarchy. */
  cgroup: string;
  netnsFile: string;
};

export function dockerFolder(dataFolder: string): DockerFolder {
  const hash = createHash('sha256').update(dataFolder).digest('hex').slice(0, 12);
  return {
    config: join(dataFolder, 'daemon.json'),
    execRoot: join(dataFolder, 'exec'),
    pidFile: join(dataFolder, 'docker.pid'),
    log: join(dataFolder, 'log'),
    url: `unix://${join(dataFolder, 'docker.sock')}`,
    cgroup: `berth-docker-${hash}`,
    netnsFile: join(dataFolder, 'netns'),
  };
}

/** Written at every start: gVisor may have been installed in the meantime. */
export async function writeDockerConfig(options: DockerOptions): Promise<DockerFolder> {
  const { dataFolder, netns, openRegistries, gvisorLayerSize = '10g' } = options;
  const folder = dockerFolder(dataFolder);
  await mkdir(dataFolder, { recursive: true });
  const config = {
    ...daemonConfig(dataFolder, folder),
    'insecure-registries': openRegistries ?? [],
    runtimes: runtimes(await installedRunsc(), gvisorLayerSize),
  };
  await writeFile(folder.config, JSON.stringify(config, null, 2));
  if (netns !== undefined) await writeFile(folder.netnsFile, netns);
  return folder;
}

/** Network namespace of the last start that named one, if it still exists. */
export async function savedNetns({ netnsFile }: DockerFolder): Promise<string | undefined> {
  const path = await readFile(netnsFile, 'utf8').catch(() => undefined);
  return path !== undefined && existsSync(path) ? path : undefined;
}

function runtimes(runsc: string | undefined, layerSize: string) {
  if (runsc === undefined) return {};
  // All writes go to one file in the container's own layer, which cannot grow beyond the size.
  const runtimeArgs = ['--platform=systrap', '--network=sandbox', `--overlay2=root:self,size=${layerSize}`];
  return { runsc: { path: runsc, runtimeArgs } };
}

function daemonConfig(dataFolder: string, folder: DockerFolder) {
  return {
    'data-root': join(dataFolder, 'data'),
    'exec-root': folder.execRoot,
    pidfile: folder.pidFile,
    hosts: [folder.url],
    'log-level': 'warn',
    // Containers outlive a crash or an update of the engine.
    'live-restore': true,
    'cgroup-parent': `/${folder.cgroup}`,
    // The same driver everywhere, also where systemd would want slices.
    'exec-opts': ['native.cgroupdriver=cgroupfs'],
    // The runner's own nftables table decides which connections are allowed. Docker's rules would leave the machine's
    // services open, and a second engine in the same network namespace would delete the rules of the first. So: no
    // rules, no forwarding, and no default bridge, which a container without a network would join.
    iptables: false,
    ip6tables: false,
    'ip-forward': false,
    'ip-masq': false,
    bridge: 'none',
    // A part of the shared address space (RFC 6598), which collides neither with an operator's private networks nor with
    // public hosts. Engines of different processes get different parts: two that create a network at the same moment
    // do not see each other's bridge, and would choose the same subnet.
    'default-address-pools': [{ base: `100.${64 + (process.pid % 64)}.0.0/16`, size: 24 }],
  };
}

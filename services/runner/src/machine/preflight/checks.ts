// Requirements of a machine that keeps tenants apart and within their limits. Each check returns what is wrong and
// how to fix it.
import type { IsolationClass } from '@berth/contract/node';
import type { EngineFacts, Facts } from './facts.ts';

export interface Problem {
  readonly reason: string;
  readonly fix: string;
}

/** Settings of this machine that the checks depend on. */
export interface Wanted {
  /** Isolation classes that the machine offers. */
  readonly isolation: readonly IsolationClass[];
  readonly diskMbPerSecond: number | undefined;
  /** Maximum connections of one instance at a time. */
  readonly connections: number;
}

/** Undefined when all is well. */
type Check = (facts: Facts, wanted: Wanted) => Problem | undefined;

const oldestKernel = [5, 10] as const;
/** Older engines answer EPERM to clone3 regardless of the profile; programs with glibc 2.34 then start no threads. */
const oldestEngine = [20, 10, 10] as const;
const neededControllers = ['cpu', 'io', 'memory', 'pids'];
/**
 * Storage drivers of the engine itself and of containerd's image store: with both, the runner finds what a container
 * writes.
 */
const countableDrivers = ['overlay2', 'overlayfs'];

/** By the name that operators see. */
export const checks: Readonly<Record<string, Check>> = {
  root: ({ userId }) =>
    userId === 0
      ? undefined
      : {
          reason: `The runner runs as user ${userId}, not as root.`,
          fix: 'Start it as root: it sets up networks and limits.',
        },

  kernel: ({ kernel }) =>
    isAtLeast(kernel, oldestKernel)
      ? undefined
      : {
          reason: `The kernel is ${kernel}; the runner needs ${oldestKernel.join('.')} or newer.`,
          fix: 'Update the machine.',
        },

  programs: ({ missingPrograms }) =>
    missingPrograms.length === 0
      ? undefined
      : {
          reason: `These programs are missing: ${missingPrograms.join(', ')}.`,
          fix: 'Install them: apt-get install nftables iproute2 procps findutils coreutils util-linux',
        },

  'cgroup-controllers': ({ controllers }) => {
    const missing = controllers === undefined ? [] : neededControllers.filter((name) => !controllers.includes(name));
    if (missing.length === 0) return undefined;
    return {
      reason: `The kernel offers no cgroup controller for ${missing.join(', ')}.`,
      fix: 'Remove cgroup_disable from the kernel’s command line, and reboot. In a container or virtual machine, pass all controllers on.',
    };
  },

  nftables: ({ nftablesError, missingPrograms }) =>
    nftablesError === undefined || missingPrograms.includes('nft')
      ? undefined
      : {
          reason: `nft cannot make tables: ${nftablesError}`,
          fix: 'Load the kernel’s module: modprobe nf_tables. Where there is none, install a kernel of the distribution.',
        },

  'bridge-filter': ({ hasBridgeFilter }) =>
    hasBridgeFilter
      ? undefined
      : {
          reason:
            'The kernel module br_netfilter is missing; without it instances on one bridge reach each other past all rules.',
          fix: 'Load it now and at every start: modprobe br_netfilter && echo br_netfilter > /etc/modules-load.d/berth.conf',
        },

  docker: ({ engine }) =>
    'error' in engine
      ? {
          reason: `Docker does not answer: ${engine.error}`,
          fix: 'Start it: systemctl start docker. Is runner.dockerUrl its socket?',
        }
      : undefined,

  'docker-version': ofEngine(({ ServerVersion }) =>
    isAtLeast(ServerVersion, oldestEngine)
      ? undefined
      : {
          reason: `Docker is ${ServerVersion}; the runner needs ${oldestEngine.join('.')} or newer.`,
          fix: 'Update Docker.',
        },
  ),

  'docker-rootless': ofEngine(({ SecurityOptions }) =>
    findOption(SecurityOptions, 'rootless') !== undefined
      ? {
          reason: 'Docker runs without root.',
          fix: 'Install Docker as a service of the system, and name its socket in runner.dockerUrl.',
        }
      : undefined,
  ),

  'docker-live-restore': ofEngine(({ LiveRestoreEnabled }) =>
    LiveRestoreEnabled
      ? undefined
      : {
          reason: 'Docker ends all containers when it is restarted or updated.',
          fix: 'Add "live-restore": true to /etc/docker/daemon.json, then run: systemctl reload docker',
        },
  ),

  'docker-limits': ofEngine(({ MemoryLimit, CpuCfsQuota, PidsLimit }) => {
    const missing = Object.entries({ memory: MemoryLimit, CPU: CpuCfsQuota, processes: PidsLimit }).filter(
      ([, has]) => !has,
    );
    if (missing.length === 0) return undefined;
    return {
      reason: `Docker cannot limit ${missing.map(([name]) => name).join(', ')}.`,
      fix: 'Enable the cgroup controllers: boot with cgroup_enable=memory on the kernel’s command line, then restart Docker.',
    };
  }),

  'docker-seccomp': ofEngine(({ SecurityOptions }, { isolation }) =>
    !isolation.includes('runc') || filtersSystemCalls(SecurityOptions)
      ? undefined
      : {
          reason: 'Docker starts containers without a seccomp profile.',
          fix: 'Remove "seccomp-profile": "unconfined" from /etc/docker/daemon.json and restart Docker, or offer gVisor alone: runner.isolation: [gvisor]',
        },
  ),

  'docker-storage-driver': ofEngine(({ Driver }, { isolation }) =>
    !isolation.includes('runc') || countableDrivers.includes(Driver)
      ? undefined
      : {
          reason: `Docker keeps containers with the storage driver ${Driver}, with which the disk of runc containers cannot be limited.`,
          fix: 'Set "storage-driver": "overlay2" in /etc/docker/daemon.json and restart Docker, or offer gVisor alone: runner.isolation: [gvisor]',
        },
  ),

  'gvisor-network': ofEngine(({ Runtimes }, { isolation }) =>
    isolation.includes('gvisor') &&
    Runtimes.runsc?.runtimeArgs?.some((argument) => /^--?network[= ]host$/.test(argument))
      ? {
          reason: 'gVisor uses the network stack of the machine’s kernel.',
          fix: 'Set --network=sandbox in runtimeArgs of runsc in /etc/docker/daemon.json, then run: systemctl reload docker',
        }
      : undefined,
  ),

  // Docker lets containers that share a network share the user namespace too, and runsc cannot join one.
  'docker-userns': ofEngine(({ SecurityOptions }, { isolation }) =>
    isolation.includes('gvisor') && findOption(SecurityOptions, 'userns') !== undefined
      ? {
          reason: 'Docker gives containers user namespaces (userns-remap), with which gVisor does not start.',
          fix: 'Remove "userns-remap" from /etc/docker/daemon.json and restart Docker, or offer runc alone: runner.isolation: [runc]',
        }
      : undefined,
  ),

  'disk-throughput-class': (_, { isolation, diskMbPerSecond }) =>
    diskMbPerSecond === undefined || isolation.includes('runc')
      ? undefined
      : {
          reason: 'runner.diskMbPerSecond is set, and this machine offers gVisor alone, which it does not limit.',
          fix: 'Remove the setting, or offer runc too.',
        },

  'disk-throughput-disk': ({ engine, engineDisk }, { diskMbPerSecond }) =>
    diskMbPerSecond === undefined || 'error' in engine || engineDisk !== undefined
      ? undefined
      : {
          reason: `runner.diskMbPerSecond is set, and ${engine.DockerRootDir} lies on no disk whose use the kernel limits.`,
          fix: 'Move Docker’s data folder to a disk with ext4 or xfs ("data-root" in /etc/docker/daemon.json), or remove the setting.',
        },
};

/** This many instances may use all their connections and still leave room for the others, the runner and SSH. */
const greedyInstances = 32;

/** Warnings: the runner starts all the same, and the operator should act. */
export const warnings: Readonly<Record<string, Check>> = {
  'tracked-connections': ({ trackedConnections }, { connections }) =>
    trackedConnections === undefined || trackedConnections >= greedyInstances * connections
      ? undefined
      : {
          reason: `The kernel tracks ${trackedConnections} connections of the whole machine, and one instance may have ${connections}: ${Math.ceil(trackedConnections / connections)} instances can use up all, and then nobody connects.`,
          fix: `sysctl -w net.netfilter.nf_conntrack_max=${greedyInstances * connections} (and in /etc/sysctl.d, for the next start), or lower runner.outgoing.connections.`,
        },

  conntrack: ({ hasConntrack }) =>
    hasConntrack
      ? undefined
      : {
          reason:
            'The program conntrack is missing: connections of instances that have ended stay in the kernel’s table, for up to five days.',
          fix: 'apt-get install conntrack',
        },
};

/** Skips the check if the engine does not answer: nothing is known of it then. */
function ofEngine(check: (engine: EngineFacts, wanted: Wanted) => Problem | undefined): Check {
  return ({ engine }, wanted) => ('error' in engine ? undefined : check(engine, wanted));
}

/** Options are words such as `name=seccomp,profile=builtin`. */
const findOption = (options: EngineFacts['SecurityOptions'], name: string): string[] | undefined =>
  options?.map((option) => option.split(',')).find((words) => words.includes(`name=${name}`));

/** An engine that is configured to filter nothing still names the option, with the profile `unconfined`. */
function filtersSystemCalls(options: EngineFacts['SecurityOptions']): boolean {
  const seccomp = findOption(options, 'seccomp');
  return seccomp !== undefined && !seccomp.includes('profile=unconfined');
}

function isAtLeast(version: string, oldest: readonly number[]): boolean {
  const [, ...parts] = /^(\d+)\.(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  const index = oldest.findIndex((part, at) => Number(parts[at] ?? 0) !== part);
  return index === -1 || Number(parts[index] ?? 0) > (oldest[index] ?? 0);
}

// How a container is locked in and what it may use, in the engine's words. Pure: what is asked for goes in, settings come out.
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { cpuPeriodUs, cpuQuotaUs, cpuShares } from '../cgroup/limits.ts';
import type { ContainerWish } from './driver.ts';
import { seccompProfile } from './seccomp-profile.ts';

/** What the engine's machine and set-up allow. */
export interface EngineOffer {
  readonly cores: number;
  readonly runtimes: Readonly<Record<ContainerWish['isolation'], string>>;
  /** The disk that containers write to, and what each of them may read or write on it in a second. */
  readonly disk?: { readonly device: string; readonly mbPerSecond: number } | undefined;
}

// What ordinary server images need to prepare their folders as root and then become somebody else. Among those left out is
// NET_RAW: with it a container could speak in another's name on the bridge.
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID', 'KILL', 'NET_BIND_SERVICE'];

// Against fork bombs only. Far from what servers use, because gVisor ends the whole container at the limit.
const MAX_PROCESSES = 4_096;

// Not compressed: whoever follows the output reads the older files too.
const LOG = { Type: 'json-file', Config: { 'max-size': '16m', 'max-file': '3', compress: 'false' } };

const MB = 1024 * 1024;

export function containerSettings(wish: ContainerWish, offer: EngineOffer): ContainerCreateOptions {
  return {
    name: wish.name,
    Image: wish.image,
    Labels: { ...wish.labels },
    Env: Object.entries(wish.env).map(([name, value]) => `${name}=${value}`),
    // Readiness is the runner's to judge; the image's own check would only run programs in the container all the time.
    Healthcheck: { Test: ['NONE'] },
    // With an entrypoint of ours the engine leaves out the image's command as well.
    ...(wish.entrypoint === undefined ? {} : { Entrypoint: [...wish.entrypoint] }),
    HostConfig: {
      Runtime: offer.runtimes[wish.isolation],
      // The name of the machine and the files about names come with the network: the engine refuses any other.
      NetworkMode: `container:${wish.networkOf}`,
      IpcMode: 'private',
      // The first process of a container hears no signal that it does not ask for: without an init of the engine's, an
      // ordinary server would be waited for in vain and then killed.
      Init: wish.entrypoint === undefined,
      Mounts: Object.entries(wish.mounts ?? {}).map(([inside, folder]) => readOnlyMount(inside, folder)),
      CapDrop: ['ALL'],
      CapAdd: CAPABILITIES,
      // gVisor answers these calls itself and does not look at a profile: its own filter is narrower.
      SecurityOpt: ['no-new-privileges', ...(wish.isolation === 'runc' ? [`seccomp=${seccompProfile}`] : [])],
      // A core dump may be piped to a program of the machine, which then reads what a tenant wrote.
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      PidsLimit: wish.mostProcesses ?? MAX_PROCESSES,
      LogConfig: LOG,
      RestartPolicy: { Name: 'no' },
      ...limitSettings(wish, offer.cores),
      // With systemd's cgroups gVisor does not start under such a limit.
      ...(wish.isolation === 'runc' ? diskSettings(offer.disk) : {}),
    },
  };
}

function diskSettings(disk: EngineOffer['disk']): HostConfig {
  if (disk === undefined) return {};
  const limit = [{ Path: disk.device, Rate: disk.mbPerSecond * MB }];
  return { BlkioDeviceReadBps: limit, BlkioDeviceWriteBps: limit };
}

const readOnlyMount = (inside: string, folder: string) => ({
  Type: 'bind' as const,
  Source: folder,
  Target: inside,
  ReadOnly: true,
});

type Limits = Pick<ContainerWish, 'memoryMb' | 'cpus'>;

export function limitSettings({ memoryMb, cpus }: Limits, cores: number): HostConfig {
  return {
    Memory: memoryMb * MB,
    // Memory and swap together: no swap beside the memory.
    MemorySwap: memoryMb * MB,
    // Who may use all of the machine needs no account: the keeping of one alone would hold it up.
    ...(cpus < cores ? { CpuPeriod: cpuPeriodUs, CpuQuota: cpuQuotaUs(cpus) } : {}),
    CpuShares: cpuShares(memoryMb),
  };
}

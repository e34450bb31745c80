// Isolation and limits of a container, as settings of the engine. Pure.
import { bytesPerMb } from '@berth/contract/node';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { cpuPeriodUs, cpuQuotaUs, cpuShares } from '../machine/cgroup/limits.ts';
import type { ContainerSpec, MemoryVolume } from './driver.ts';
import { seccompProfile } from './seccomp-profile.ts';

/** Properties of the engine's machine and configuration. */
export interface EngineOffer {
  readonly cores: number;
  readonly runtimes: Readonly<Record<ContainerSpec['isolation'], string>>;
  /** Disk that containers write to, and the limit of each container for reads and for writes. */
  readonly disk?: { readonly device: string; readonly mbPerSecond: number } | undefined;
}

// Capabilities that ordinary server images need to prepare their folders as root and then drop to another user. NET_RAW
// is left out: with it a container could impersonate another one on the bridge.
const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID', 'KILL', 'NET_BIND_SERVICE'];

// Only a guard against fork bombs. It is far above what servers use, because gVisor ends the whole container at the
// limit.
const defaultMaxProcesses = 4_096;

// Not compressed, because the log reader also reads the rotated files.
const logConfig = { Type: 'json-file', Config: { 'max-size': '16m', 'max-file': '3', compress: 'false' } };

export function containerSettings(wish: ContainerSpec, offer: EngineOffer): ContainerCreateOptions {
  return {
    name: wish.name,
    Image: wish.image,
    Labels: { ...wish.labels },
    Env: Object.entries(wish.env).map(([name, value]) => `${name}=${value}`),
    // The runner decides about readiness; the image's own check would only run programs in the container all the time.
    Healthcheck: { Test: ['NONE'] },
    // With a custom entrypoint the engine leaves out the image's command as well.
    ...(wish.entrypoint === undefined ? {} : { Entrypoint: [...wish.entrypoint] }),
    HostConfig: {
      Runtime: offer.runtimes[wish.isolation],
      // The hostname, hosts and resolv.conf come with the network: the engine refuses other values.
      NetworkMode: `container:${wish.networkOf}`,
      IpcMode: 'private',
      // The first process of a container ignores every signal that it has no handler for: without the engine's init, an
      // ordinary server would ignore SIGTERM and be killed after the grace period.
      Init: wish.entrypoint === undefined,
      Mounts: Object.entries(wish.mounts ?? {}).map(([inside, folder]) => readOnlyMount(inside, folder)),
      Tmpfs: memoryVolumes(wish.memoryVolumes),
      CapDrop: ['ALL'],
      CapAdd: capabilities,
      // gVisor handles system calls itself and ignores a profile; its own filter towards the host is narrower.
      SecurityOpt: ['no-new-privileges', ...(wish.isolation === 'runc' ? [`seccomp=${seccompProfile}`] : [])],
      // A core dump may be piped to a program of the host, which would then read data of a tenant.
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      PidsLimit: wish.maxProcesses ?? defaultMaxProcesses,
      LogConfig: logConfig,
      RestartPolicy: { Name: 'no' },
      ...limitSettings(wish, offer.cores),
      // With systemd's cgroups gVisor does not start under a disk limit.
      ...(wish.isolation === 'runc' ? diskSettings(offer.disk) : {}),
    },
  };
}

function diskSettings(disk: EngineOffer['disk']): HostConfig {
  if (disk === undefined) return {};
  const limit = [{ Path: disk.device, Rate: disk.mbPerSecond * bytesPerMb }];
  return { BlkioDeviceReadBps: limit, BlkioDeviceWriteBps: limit };
}

const readOnlyMount = (inside: string, folder: string) => ({
  Type: 'bind' as const,
  Source: folder,
  Target: inside,
  ReadOnly: true,
});

/** Every user of the image may write there, as in /tmp, and run what it has built there. */
const memoryVolumes = (volumes: Readonly<Record<string, MemoryVolume>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(volumes).map(([inside, { sizeMb, readOnly }]) => [
      inside,
      `${readOnly ? 'ro' : 'rw'},exec,nosuid,nodev,mode=1777,size=${sizeMb}m`,
    ]),
  );

type Limits = Pick<ContainerSpec, 'memoryMb' | 'cpus'>;

export function limitSettings({ memoryMb, cpus }: Limits, cores: number): HostConfig {
  return {
    Memory: memoryMb * bytesPerMb,
    // This is memory plus swap, so an equal value means no swap.
    MemorySwap: memoryMb * bytesPerMb,
    // A container that may use all cores gets no quota: accounting for one would slow it down.
    ...(cpus < cores ? { CpuPeriod: cpuPeriodUs, CpuQuota: cpuQuotaUs(cpus) } : {}),
    CpuShares: cpuShares(memoryMb),
  };
}

// Converts the engine's description of a container to the driver's types.
import { isolationClasses } from '@berth/contract/node';
import type { ContainerInspectInfo } from 'dockerode';
import { z } from 'zod';
import type { OutOfMemoryLog } from '../machine/out-of-memory-log.ts';
import type { EngineOffer } from './container-settings.ts';
import type { ContainerState, ContainerUsage } from './driver.ts';

export function containerState(
  info: ContainerInspectInfo,
  layer: string | undefined,
  runtimes: EngineOffer['runtimes'],
  outOfMemoryLog: Pick<OutOfMemoryLog, 'names'>,
): ContainerState {
  const { Id, Name, Config, State, LogPath, HostConfig } = info;
  const status = statusFrom(State.Status);
  return {
    id: Id,
    name: Name.replace(/^\//, ''),
    labels: Config.Labels ?? {},
    status,
    pid: State.Pid > 0 ? State.Pid : undefined,
    exitCode: status === 'exited' ? State.ExitCode : undefined,
    outOfMemory: State.OOMKilled || (status === 'exited' && State.ExitCode !== 0 && outOfMemoryLog.names(Id)),
    startedAt: timeFrom(State.StartedAt),
    finishedAt: timeFrom(State.FinishedAt),
    logFile: LogPath || undefined,
    isolation: isolationClasses.find((isolation) => runtimes[isolation] === HostConfig.Runtime),
    layer,
    writablePaths: writablePaths(info, layer),
  };
}

/** The engine writes the year 1 for a time that it does not have. */
function timeFrom(text: string): number | undefined {
  const time = Date.parse(text);
  return time > 0 ? time : undefined;
}

/** Root inside can write without limit to the hostname, hosts and resolv.conf files, which lie outside the layer. */
function writablePaths(info: ContainerInspectInfo, layer: string | undefined): string[] {
  const { HostnamePath, HostsPath, ResolvConfPath, Mounts } = info;
  const volumes = Mounts.filter(({ Type, RW }) => Type === 'volume' && RW).map(({ Source }) => Source);
  return [layer, ...volumes, HostnamePath, HostsPath, ResolvConfPath].flatMap((path) => path || []);
}

/**
 * The engine also has `restarting`, which we never request, and `removing` and `dead`, in which nothing runs any more.
 */
function statusFrom(status: string): ContainerState['status'] {
  return status === 'created' || status === 'running' || status === 'paused' ? status : 'exited';
}

/** Its fields are empty for a container that does not run. */
const Stats = z.object({
  memory_stats: z.object({ usage: z.number().optional(), stats: z.record(z.string(), z.number()).optional() }),
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
});

/** Excludes page cache that the kernel can drop. The name of that field depends on the cgroup version. */
export function containerUsage(answer: unknown): ContainerUsage | undefined {
  const { memory_stats: memory, cpu_stats: cpu } = Stats.parse(answer);
  if (memory.usage === undefined) return undefined;
  const droppable = memory.stats?.total_inactive_file ?? memory.stats?.inactive_file ?? 0;
  return { memoryBytes: Math.max(memory.usage - droppable, 0), cpuNanoseconds: cpu.cpu_usage.total_usage };
}

// Sets memory and CPU limits of a running container through cgroup files: a tenth of a millisecond, where the engine
// takes thirty. The engine does not know these limits, so they must be set again after a restart of the container.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/node';
import { type Cgroup, cgroupOf } from './find.ts';

export interface Limits {
  readonly memoryMb: number;
  readonly cpus: number;
}

interface Setting {
  readonly file: string;
  readonly value: string;
  /** The file is missing where the kernel does not account for swap; then there is nothing to limit. */
  readonly isOptional?: true;
}

/**
 * Length of a CPU quota period; a group that has used up its quota is throttled for the rest of it. With the default of
 * a tenth of a second, many threads could keep every core from others for half of that.
 */
export const cpuPeriodUs = 5_000;

export const cpuQuotaUs = (cpus: number): number => Math.round(cpus * cpuPeriodUs);

/** When CPU is short, a group with twice the memory gets twice the time. The kernel accepts 2 to 262 144. */
export const cpuShares = (memoryMb: number): number => Math.min(Math.max(memoryMb, 2), 262_144);

/** Files of a group and their values, in an order that the kernel accepts. */
export function memorySettings({ version }: Pick<Cgroup, 'version'>, memoryMb: number, nowBytes: number): Setting[] {
  const bytes = memoryMb * bytesPerMb;
  if (version === 2)
    return [
      { file: 'memory.swap.max', value: '0', isOptional: true },
      { file: 'memory.max', value: String(bytes) },
    ];
  const memory: Setting = { file: 'memory.limit_in_bytes', value: String(bytes) };
  // Memory plus swap, which may at no moment be less than memory alone.
  const both: Setting = { file: 'memory.memsw.limit_in_bytes', value: String(bytes), isOptional: true };
  return bytes > nowBytes ? [both, memory] : [memory, both];
}

/** Same values as the engine sets at the start: a quota, unless all cores may be used, and a weight from the memory. */
export function cpuSettings(
  { version }: Pick<Cgroup, 'version'>,
  { memoryMb, cpus }: Pick<Limits, 'memoryMb'> & { readonly cpus: number | undefined },
): Setting[] {
  const quotaUs = cpus === undefined ? undefined : String(cpuQuotaUs(cpus));
  const shares = cpuShares(memoryMb);
  if (version === 1)
    return [
      { file: 'cpu.cfs_period_us', value: String(cpuPeriodUs) },
      { file: 'cpu.cfs_quota_us', value: quotaUs ?? '-1' },
      { file: 'cpu.shares', value: String(shares) },
    ];
  return [
    { file: 'cpu.max', value: `${quotaUs ?? 'max'} ${cpuPeriodUs}` },
    // The same conversion from shares that OCI runtimes use.
    { file: 'cpu.weight', value: String(1 + Math.trunc(((shares - 2) * 9_999) / 262_142)) },
  ];
}

/** Throws when the process has ended, or when its memory does not fit into a lower limit. */
export async function setLimits(pid: number, limits: Limits, cores: number): Promise<void> {
  const [memory, cpu] = await Promise.all([cgroupOf(pid, 'memory'), cgroupOf(pid, 'cpu')]);
  if (memory === undefined || cpu === undefined)
    throw new Error(`Process ${pid} has no limits of its own: it has ended.`);
  const nowBytes = await memoryLimit(memory);
  const { memoryMb } = limits;
  const cpus = limits.cpus < cores ? limits.cpus : undefined;
  await Promise.all([
    apply(memory.folder, memorySettings(memory, limits.memoryMb, nowBytes)),
    apply(cpu.folder, cpuSettings(cpu, { memoryMb, cpus })),
  ]);
}

const limitFile = { 1: 'memory.limit_in_bytes', 2: 'memory.max' } as const;

/** `max` means no limit. */
async function memoryLimit({ version, folder }: Cgroup): Promise<number> {
  const text = (await readFile(join(folder, limitFile[version]), 'utf8')).trim();
  return text === 'max' ? Number.POSITIVE_INFINITY : Number(text);
}

async function apply(folder: string, settings: readonly Setting[]): Promise<void> {
  for (const { file, value, isOptional } of settings) {
    const path = join(folder, file);
    const now = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (isOptional && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (now !== undefined && now.trim() !== value) await writeFile(path, value);
  }
}

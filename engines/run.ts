// A run is one process that starts engines (a bench, or vitest with its workers) and all processes started below it.
// Everything that a run makes is found by its mark: files below its folder, processes by their environment, the rest by
// name.
import { createHash } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { environment } from '@berth/telemetry';
import { engineFolder } from './folders.ts';
import { statOf } from './processes.ts';

export const runVariable = 'ENGINES_RUN';
const namePrefix = 'berth-';
const ended = new Set(['Z', 'X']);

/**
 * `<pid>-<start time>` of the process that owns the run. The start time distinguishes it from a later process with the
 * same pid.
 */
export const markPattern = /^(\d+)-[0-9a-z]+$/;

/** Undefined when there is no such process, or only a zombie. */
export function markOf(pid: number): string | undefined {
  const stat = statOf(pid);
  return stat === undefined || ended.has(stat.state) ? undefined : `${pid}-${stat.startTicks.toString(36)}`;
}

export function ownerLives(mark: string): boolean {
  const [, pid] = markPattern.exec(mark) ?? [];
  return markOf(Number(pid)) === mark;
}

/** Run that this process belongs to, also when its owner was killed. Opens a run when it belongs to none. */
export const currentRun = (): string => environment[runVariable] ?? openRun();

/** Makes this process the owner of a run; processes that it starts belong to the run. */
export function openRun(): string {
  const mark = markOf(process.pid) ?? '';
  Object.assign(environment, { [runVariable]: mark });
  return mark;
}

/** True when this process was started by a run. */
export const isInRun = (): boolean => environment[runVariable] !== undefined;

/** Folder of the current run, created on first use. Socket paths below it stay short: the kernel allows 108 bytes. */
export const runFolder = (...parts: string[]): Promise<string> => folderOfRun(currentRun(), ...parts);

export const folderOfRun = (mark: string, ...parts: string[]): Promise<string> => engineFolder('run', mark, ...parts);

/** For processes with an explicit environment: without this variable the sweep would not find them. */
export function runEnvironment(): Record<string, string> {
  const mark = environment[runVariable];
  return mark === undefined ? {} : { [runVariable]: mark };
}

/** Name of a network namespace or cgroup of the current run; workers of one run differ by their pid. */
export const runName = (what: string): string => `${namesOfRun(currentRun())}${what}-${process.pid}`;

/** Prefix of the network namespaces and cgroups of a run. */
export const namesOfRun = (mark: string): string => `${namePrefix}${mark}-`;

/**
 * Name of a network device of the current run. The kernel allows 15 characters, so the name contains a hash of the
 * mark.
 */
export const runLink = (number: number): string =>
  `${linksOfRun(currentRun())}${process.pid.toString(36)}${number}`.slice(0, 15);

export const linksOfRun = (mark: string): string => `b${createHash('sha256').update(mark).digest('hex').slice(0, 6)}-`;

/** Puts temporary files and mounts of tests below the run's folder, so that they are swept with the run. */
export async function useTemporaryFolder(): Promise<void> {
  const folder = await runFolder('tmp');
  await chmod(folder, 0o1777);
  Object.assign(environment, { TMPDIR: folder });
}

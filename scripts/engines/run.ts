// A run is one process that starts engines (a bench, or vitest with its workers) and everything started below it. All that
// a run makes is found again by its mark: files below its folder, processes by their environment, the rest by name.
import { createHash } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { environment } from '@berth/telemetry';
import { engineFolder } from './folders.ts';
import { statOf } from './processes.ts';

export const runVariable = 'ENGINES_RUN';
const namePrefix = 'berth-';
const ended = new Set(['Z', 'X']);

/** `<pid>-<start time>` of the process that owns the run. The start time tells a process apart that got the pid later. */
export const markPattern = /^(\d+)-[0-9a-z]+$/;

/** Undefined when there is no such process, or only its exit code is left of it. */
export function markOf(pid: number): string | undefined {
  const stat = statOf(pid);
  return stat === undefined || ended.has(stat.state) ? undefined : `${pid}-${stat.startTicks.toString(36)}`;
}

export function ownerLives(mark: string): boolean {
  const [, pid] = markPattern.exec(mark) ?? [];
  return markOf(Number(pid)) === mark;
}

/** The run that this process belongs to, also when its owner was killed. Opens one when it belongs to none. */
export const currentRun = (): string => environment[runVariable] ?? openRun();

/** From now on this process owns a run, and what it starts belongs to that. */
export function openRun(): string {
  const mark = markOf(process.pid) ?? '';
  Object.assign(environment, { [runVariable]: mark });
  return mark;
}

/** Whether this process was started by a run. */
export const isInRun = (): boolean => environment[runVariable] !== undefined;

/** A folder of the current run, made on first use. Sockets below it have short paths: the kernel takes 108 bytes. */
export const runFolder = (...parts: string[]): Promise<string> => folderOfRun(currentRun(), ...parts);

export const folderOfRun = (mark: string, ...parts: string[]): Promise<string> => engineFolder('run', mark, ...parts);

/** For processes that get an environment of their own: without it the sweep would not find them. */
export function runEnvironment(): Record<string, string> {
  const mark = environment[runVariable];
  return mark === undefined ? {} : { [runVariable]: mark };
}

/** The name of a network namespace or cgroup of the current run; workers of one run differ by their pid. */
export const runName = (what: string): string => `${namesOfRun(currentRun())}${what}-${process.pid}`;

/** What the names of a run's network namespaces and cgroups begin with. */
export const namesOfRun = (mark: string): string => `${namePrefix}${mark}-`;

/** The name of a network device of the current run: the kernel takes 15 characters, so the mark is a hash in it. */
export const runLink = (number: number): string =>
  `${linksOfRun(currentRun())}${process.pid.toString(36)}${number}`.slice(0, 15);

export const linksOfRun = (mark: string): string => `b${createHash('sha256').update(mark).digest('hex').slice(0, 6)}-`;

/** Temporary files and mounts of tests are swept with the run. */
export async function useTemporaryFolder(): Promise<void> {
  const folder = await runFolder('tmp');
  await chmod(folder, 0o1777);
  Object.assign(environment, { TMPDIR: folder });
}

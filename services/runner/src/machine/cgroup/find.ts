// Finds the cgroup of a process, with cgroup v1, v2 or both mounted. Only this folder of the runner knows how the
// versions differ.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';

export type Controller = 'memory' | 'cpu' | 'freezer';

export interface Cgroup {
  readonly version: 1 | 2;
  readonly folder: string;
}

/** Cgroup of a process under a controller; undefined when the process has ended or is in the root group. */
export async function cgroupOf(pid: number, controller: Controller): Promise<Cgroup | undefined> {
  const text = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : cgroupIn(text, controller);
}

/**
 * Like `cgroupOf`; also undefined when the pid was reused by a foreign process, which must not be touched. The cgroup's
 * path contains the container's id.
 */
export async function cgroupOfContainer(
  { id, pid }: { readonly id: string; readonly pid: number },
  controller: Controller,
): Promise<Cgroup | undefined> {
  const group = await cgroupOf(pid, controller);
  return group?.folder.includes(id) ? group : undefined;
}

/** Pids of the processes that are in the group now. */
export async function processesIn({ folder }: Cgroup): Promise<string[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8');
  return text.split('\n').filter(Boolean);
}

/** Lines are `number:controllers:path`. The line of v2 names no controllers, and v2 needs none to freeze. */
export function cgroupIn(text: string, controller: Controller): Cgroup | undefined {
  const groups = text
    .trim()
    .split('\n')
    .map((line) => line.split(':'))
    .map(([, controllers = '', ...path]) => ({ controllers: controllers.split(','), path: path.join(':') }));
  const first = groups.find(({ controllers }) => controllers.includes(controller));
  const isOwn = (path: string): boolean => path !== '' && path !== '/';
  if (first !== undefined)
    return isOwn(first.path) ? { version: 1, folder: join(root, controller, first.path) } : undefined;
  const second = groups.find(({ controllers }) => controllers.join('') === '');
  return second !== undefined && isOwn(second.path) ? { version: 2, folder: join(root, second.path) } : undefined;
}

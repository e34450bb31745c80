import { readFile } from 'node:fs/promises';
import type { ContainerState } from './driver.ts';

/**
 * To its first process, at once and without the engine, which would need its time and some disk. A number that another process has by
 * now is left alone: the groups of a container's processes carry its id.
 */
export async function signalContainer(
  { id, pid }: Pick<ContainerState, 'id' | 'pid'>,
  signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT',
): Promise<void> {
  if (pid === undefined) return;
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
  if (groups.includes(id)) process.kill(pid, signal);
}

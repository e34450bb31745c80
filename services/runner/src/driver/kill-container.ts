import { readFile } from 'node:fs/promises';

/**
 * At once and without the engine, which would need its time and some disk. A number that another process has by now is left
 * alone: the groups of a container's processes carry its id.
 */
export async function killContainer({
  id,
  pid,
}: {
  readonly id: string;
  readonly pid: number | undefined;
}): Promise<void> {
  if (pid === undefined) return;
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
  if (groups.includes(id)) process.kill(pid, 'SIGKILL');
}

import { cgroupOfContainer } from '../cgroup/find.ts';
import type { ContainerState } from './driver.ts';

/** To its first process, if it has not ended: at once and without the engine, which would need its time and some disk. */
export async function signalContainer(
  { id, pid }: Pick<ContainerState, 'id' | 'pid'>,
  signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT',
): Promise<void> {
  if (pid === undefined || (await cgroupOfContainer({ id, pid }, 'freezer')) === undefined) return;
  process.kill(pid, signal);
}

import { cgroupOfContainer } from '../machine/cgroup/find.ts';
import type { ContainerState } from './driver.ts';

/** Signals the first process, if it still runs. Without the engine, which would need time and some disk space. */
export async function signalContainer(
  { id, pid }: Pick<ContainerState, 'id' | 'pid'>,
  signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT',
): Promise<void> {
  if (pid === undefined || (await cgroupOfContainer({ id, pid }, 'freezer')) === undefined) return;
  process.kill(pid, signal);
}

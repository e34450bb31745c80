import type { TaskInstance } from '@berth/contract/node';
import type { ContainerState } from '../../driver/driver.ts';
import { lastOutput } from '../../logs/last-output.ts';
import { outOfMemory, taskExited } from '../explain.ts';
import { reasonOf, type TaskEnd } from './task-end.ts';

/** End of a task whose process ended by itself. */
export async function endOfProcess(desired: TaskInstance, state: ContainerState): Promise<TaskEnd> {
  const { exitCode } = state;
  const reason = reasonOf(state);
  const message =
    reason === 'out_of_memory'
      ? outOfMemory(desired).message
      : taskExited({ exitCode, output: await lastOutput(state.logFile) });
  return { reason, message, exitCode, endedAtMs: Date.now() };
}

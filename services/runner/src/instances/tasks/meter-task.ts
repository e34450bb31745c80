import type { TaskInstance } from '@berth/contract/node';
import type { ContainerState } from '../../driver/driver.ts';
import type { UsageMeter } from '../../meter/meter.ts';
import { runName } from '../instance-run.ts';

type Run = Pick<ContainerState, 'id' | 'status' | 'pid' | 'startedAt' | 'finishedAt'>;

/**
 * Meters a task from the start to the exit of its process, by the times of the engine. `askedMs` is the deployment time at
 * which this process asked for the start, if it did: a task is not billed before, also when the machine's clock was set.
 */
export function meterTask(
  { id, memoryMb }: Pick<TaskInstance, 'id' | 'memoryMb'>,
  state: Run | undefined,
  askedMs: number | undefined,
  meter: Pick<UsageMeter, 'begin' | 'record' | 'timeAt'> | undefined,
): void {
  if (meter === undefined || state?.startedAt === undefined) return;
  const { status, pid } = state;
  const run = { memoryMb, run: runName(state), pid };
  const startedMs = meter.timeAt(state.startedAt);
  const sinceMs = startedMs === undefined ? undefined : Math.max(startedMs, askedMs ?? 0);
  const endedMs = meter.timeAt(state.finishedAt);
  if (status !== 'exited') meter.begin(id, { ...run, sinceMs, continues: true });
  // A short task ends before the runner sees it run.
  else if (sinceMs !== undefined && endedMs !== undefined) meter.record(id, { ...run, fromMs: sinceMs, toMs: endedMs });
}

// Places tasks of one execution on runners: reservations, instances, tasks and counters are written in one transaction
// under the lock of the execution's row. Locks are taken in the order execution, account, runner, instances, tasks.
import { type DatabaseTransaction, uuidv7 } from '@berth/database';
import {
  findImage,
  imageFaultMessage,
  limitMessage,
  loadRegions,
  lockRoom,
  takeRunnersForTasks,
  taskInstanceSpecs,
  taskNeed,
  taskReservedMb,
  volumesFault,
  waitingMessage,
  workloadFault,
} from '@berth/instances';
import { taskDataToken, taskDataUrl } from '@berth/jobs';
import type { Dependencies } from '../run/dependencies.ts';
import { failWaiting } from './fail-waiting.ts';
import { type LockedWaiting, loadDueTasks, lockWaiting } from './lock-waiting.ts';
import { addWaitEvent } from './wait-event.ts';
import { type PlacedTask, writePlaced } from './write-placed.ts';

export interface PlacedTasks {
  /** Runners of the placed tasks, one entry for each task. */
  readonly runnerIds: readonly string[];
  /** Fewer tasks were placed than the execution may have. */
  readonly isShort: boolean;
  /** Tasks that failed without an attempt, because their image or their volumes cannot be used. */
  readonly failed: number;
}

const nothing: PlacedTasks = { runnerIds: [], isShort: false, failed: 0 };

export async function placeTasks(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  executionId: string,
  count: number,
): Promise<PlacedTasks> {
  const execution = await lockWaiting(tx, executionId);
  if (execution === undefined) return nothing;
  const { job, spec } = execution;
  const named = spec.runtime.image ?? '';
  const missing = workloadFault('job', spec);
  if (missing !== undefined) return fail(tx, execution, 'image_missing', missing);
  const unmountable = volumesFault(spec, execution.memoryMb);
  if (unmountable !== undefined) return fail(tx, execution, 'start_failed', unmountable);
  const image = await findImage(tx, job.workspace, named, dependencies);
  if ('fault' in image) return fail(tx, execution, 'image_refused', imageFaultMessage(image.fault, named));
  const tasks = await loadDueTasks(tx, execution, count);
  if (tasks.length === 0) return nothing;
  const { placement, regions, limits, random } = dependencies;
  const reservedMb = taskReservedMb(execution.memoryMb, dependencies);
  const allowed = await loadRegions(tx, job.workspace.id, regions, spec);
  const need = taskNeed(spec, allowed, reservedMb, placement);
  const room = await lockRoom(tx, execution.accountId, limits, reservedMb);
  const wanted = Math.min(tasks.length, room.count);
  const { placements, runners } = await takeRunnersForTasks(tx, need, wanted, random);
  const key = await dependencies.taskDataKey();
  const dataUrlOf = (index: number) => taskDataUrl(dependencies.gatewayUrl, taskDataToken(key, executionId, index));
  const specOf = taskInstanceSpecs({ job, spec, execution, image, dataUrlOf }, dependencies);
  const placed = tasks.slice(0, placements.length).flatMap(({ index, attempt }, place): PlacedTask[] => {
    const chosen = placements[place];
    if (chosen === undefined) return [];
    const { runner, isolation } = chosen;
    const stored = { ...specOf({ region: runner.region, isolation }, index), traceparent: dependencies.traceparent };
    return [{ id: uuidv7(), runnerId: runner.id, taskIndex: index, attempt: attempt + 1, spec: stored }];
  });
  await writePlaced(tx, execution, placed, reservedMb);
  if (placed.length < tasks.length) {
    const message = placed.length < wanted ? waitingMessage(runners, allowed, need) : limitMessage(room);
    if (execution.active + placed.length === 0) await addWaitEvent(tx, execution, message);
  }
  return { runnerIds: placed.map(({ runnerId }) => runnerId), isShort: placed.length < tasks.length, failed: 0 };
}

async function fail(
  tx: DatabaseTransaction,
  { id }: LockedWaiting,
  reason: 'image_missing' | 'image_refused' | 'start_failed',
  message: string,
): Promise<PlacedTasks> {
  return { ...nothing, failed: await failWaiting(tx, id, reason, message) };
}

import type { DesiredInstance } from '@berth/contract/node';
import { InstanceWorker } from './instance-worker.ts';
import { TaskWorker } from './tasks/task-worker.ts';
import type { Worker } from './worker.ts';
import type { WorkerDependencies } from './worker-dependencies.ts';

/**
 * `isFresh`: the api has just created the instance, so no container of it can exist. Without a desired state, the file of
 * a task tells that the instance to remove was one.
 */
export function createWorker(
  id: string,
  desired: DesiredInstance | undefined,
  isFresh: boolean,
  deps: WorkerDependencies,
): Worker {
  if (desired?.mode === 'task') return new TaskWorker(id, desired, isFresh, deps);
  if (desired === undefined && deps.tasks.find(id) !== undefined) return new TaskWorker(id, undefined, false, deps);
  return new InstanceWorker(id, desired, isFresh, deps);
}

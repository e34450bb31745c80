// Refuses an execution that may not be queued, unless one of its tasks can start now. No lock is taken: an execution
// that passes and then finds the place taken is queued like any other.
import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { limitOf, loadRegions, roomForTask, taskNeed, taskReservedMb, WorkloadSpec } from '@berth/instances';
import type { WriteCall } from '../../http/call.ts';
import { executionErrors } from './errors.ts';

type CapacityCall = Pick<WriteCall, 'tx' | 'workspace' | 'dependencies'>;

export async function requireCapacity(
  { tx, workspace: { id, account }, dependencies: { config, placement } }: CapacityCall,
  spec: JsonObject,
  memoryMb: number,
): Promise<void> {
  const limit = limitOf(account, config, 'job_parallel_executions');
  if ((await countParallel(tx, account.id)) >= limit)
    throw executionErrors.no_capacity({
      reason: `Maximum parallel executions limit reached: ${limit} for the account (job_parallel_executions).`,
    });
  const job = WorkloadSpec.parse(spec);
  const allowed = await loadRegions(tx, id, config.regions, job);
  const reservedMb = taskReservedMb(memoryMb, { placement });
  const room = await roomForTask(tx, taskNeed(job, allowed, reservedMb, placement));
  if (room === 'never') throw executionErrors.task_too_large({ memory: memoryMb });
  if (room === 'later')
    throw executionErrors.no_capacity({ reason: `No connected runner has room for a task of ${memoryMb} MB.` });
}

async function countParallel(tx: DatabaseTransaction, accountId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('executions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('completed_at', 'is', null)
    .where('status', 'in', ['pending', 'running'])
    .executeTakeFirstOrThrow();
  return count;
}

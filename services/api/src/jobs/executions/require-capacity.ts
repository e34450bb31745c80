// Refuses an execution that may not be queued, unless one of its tasks can start now. No lock is taken: an execution
// that passes and then finds the place taken is queued like any other.
import { type DatabaseTransaction, type JsonObject, unendedInstance } from '@berth/database';
import { limitOf, loadRegions, type PlacementConfig, WorkloadSpec } from '@berth/instances';
import { sql } from 'kysely';
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
  const { regions } = await loadRegions(tx, id, config.regions, WorkloadSpec.parse(spec));
  const names = regions.map(({ name }) => name);
  const room = await findRoom(tx, placement, names, memoryMb);
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

interface Runners {
  readonly hasAny: boolean;
  readonly hasLargeEnough: boolean;
  readonly hasRoom: boolean;
}

/** `never`: runners are registered in these regions, and each is too small even when it is empty. */
async function findRoom(
  tx: DatabaseTransaction,
  { jobs: { memoryShare }, overcommit }: PlacementConfig,
  regions: readonly string[],
  memoryMb: number,
): Promise<'now' | 'later' | 'never'> {
  const neededMb = Math.ceil(memoryMb / overcommit);
  const { rows } = await sql<Runners>`
    with runner as (
      select status = 'up' and not is_pressed as is_usable, floor(memory_mb * ${memoryShare}::float8) as share_mb,
        reserved_mb, max_tasks, (
          select count(*) from instances
          where runner_id = runners.id and execution_id is not null and ${unendedInstance()} and result is null
        ) as tasks
      from runners where max_tasks > 0 and region = any(${[...regions]}::text[])
    )
    select count(*) > 0 as "hasAny",
      coalesce(bool_or(share_mb >= ${neededMb}), false) as "hasLargeEnough",
      coalesce(bool_or(is_usable and tasks < max_tasks and share_mb >= reserved_mb + ${neededMb}), false) as "hasRoom"
    from runner`.execute(tx);
  const [runners] = rows;
  if (runners?.hasRoom === true) return 'now';
  return runners?.hasAny === true && !runners.hasLargeEnough ? 'never' : 'later';
}

import { type DatabaseTransaction, unendedInstance } from '@berth/database';
import { sql } from 'kysely';

export interface Retired {
  readonly id: string;
  readonly runnerId: string;
}

/**
 * Locks in id order, like the recording of reports, to avoid deadlocks. An instance that is `leaving` may be set to
 * `gone`, but not the other way round.
 */
export async function retireInstances(
  tx: DatabaseTransaction,
  ids: readonly string[],
  desired: 'leaving' | 'gone',
): Promise<Retired[]> {
  const { rows } = await sql<Retired>`
    update instances set desired = ${desired} where id = any(array(
      select id from instances where id = any(${[...ids]}::uuid[]) and ${unendedInstance()} and desired <> 'gone'
      order by id for update
    )) returning id, runner_id as "runnerId"`.execute(tx);
  return rows;
}

/**
 * Retires the instances of a resource whose record is gone, with or without its workspace. The attempts of a deleted job
 * run to their end, so they are retired only without the workspace.
 */
export async function retireOrphans(tx: DatabaseTransaction, resourceUid: string): Promise<Retired[]> {
  const { rows } = await sql<Retired>`
    update instances set desired = 'gone' where id = any(array(
      select id from instances where resource_uid = ${resourceUid} and ${unendedInstance()} and desired <> 'gone'
        and (execution_id is null or not exists (select 1 from workspaces where workspaces.id = instances.workspace_id))
      order by id for update
    )) returning id, runner_id as "runnerId"`.execute(tx);
  return rows;
}

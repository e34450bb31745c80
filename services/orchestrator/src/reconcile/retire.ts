import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';

export interface Retired {
  readonly id: string;
  readonly runnerId: string;
}

/**
 * In the order of their ids, as reports are recorded, so that nobody waits for each other in a circle. One that leaves may
 * be told to be gone, but not the other way round.
 */
export async function retireInstances(
  tx: DatabaseTransaction,
  ids: readonly string[],
  desired: 'leaving' | 'gone',
): Promise<Retired[]> {
  const { rows } = await sql<Retired>`
    update instances set desired = ${desired} where id = any(array(
      select id from instances where id = any(${[...ids]}::uuid[]) and ended_at is null and desired <> 'gone'
      order by id for update
    )) returning id, runner_id as "runnerId"`.execute(tx);
  return rows;
}

/** Of a resource whose record has gone, with its workspace or without. */
export async function retireOrphans(tx: DatabaseTransaction, resourceUid: string): Promise<Retired[]> {
  const { rows } = await sql<Retired>`
    update instances set desired = 'gone' where id = any(array(
      select id from instances where resource_uid = ${resourceUid} and ended_at is null and desired <> 'gone'
      order by id for update
    )) returning id, runner_id as "runnerId"`.execute(tx);
  return rows;
}

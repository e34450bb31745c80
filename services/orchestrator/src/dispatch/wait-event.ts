// Events that say why an execution waits. The same message is written once for an execution, however long it waits.
import type { Database } from '@berth/database';
import { sql } from 'kysely';

/** Type of the events about waiting; changes of the status have another. */
const waitType = 'infrastructure';

export interface WaitingRecord {
  readonly id: string;
  readonly status: string;
  readonly createdAt: Date;
}

export async function addWaitEvent(
  database: Database,
  { id, status, createdAt }: WaitingRecord,
  message: string,
): Promise<void> {
  await sql`
    insert into resource_events (resource_uid, type, status, message)
    select ${id}::uuid, ${waitType}, ${status}, ${message}
    where not exists (
      select 1 from resource_events
      where resource_uid = ${id}::uuid and time >= ${createdAt} and message = ${message})`.execute(database);
}

/** Those of the executions that have no event about waiting yet, at most `limit`. */
export async function loadUnexplained(
  database: Database,
  executionIds: readonly string[],
  limit: number,
): Promise<WaitingRecord[]> {
  const { rows } = await sql<WaitingRecord>`
    select id, status, created_at as "createdAt" from executions
    where id = any(${[...executionIds]}::uuid[]) and not exists (
      select 1 from resource_events
      where resource_uid = executions.id and time >= executions.created_at and type = ${waitType})
    order by created_at, id limit ${limit}`.execute(database);
  return rows;
}

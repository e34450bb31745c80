import { jobExecutionStatuses } from '@berth/contract';
import { allowLongStatements, type DatabaseTransaction, outboxTopics } from '@berth/database';
import { nextStatus } from '@berth/jobs';
import { sql } from 'kysely';

const openStatuses = jobExecutionStatuses.filter((status) => nextStatus(status, 'cancelAsked') !== undefined);

/**
 * Cancels the open executions of a job that is being deleted. The handler of each execution cancels its tasks, because
 * all of them together may be too many for one request. The executions stay until they expire.
 */
export async function cancelAll(tx: DatabaseTransaction, jobUid: string): Promise<void> {
  await allowLongStatements(tx);
  await sql`
    with locked as (
      select id from executions where job_uid = ${jobUid} and status = any(${openStatuses}::text[])
      order by id for update
    ), cancelled as (
      update executions set status = 'cancelling', generation = generation + 1, updated_at = clock_timestamp()
      from locked where executions.id = locked.id returning executions.id, workspace_id
    ), explained as (
      insert into resource_events (resource_uid, type, status, message)
      select id, 'execution', 'cancelling', 'Cancelled, because its job was deleted.' from cancelled
    )
    insert into outbox (topic, key, workspace_id)
    select ${sql.lit(outboxTopics.execution)}, id::text, workspace_id from cancelled`.execute(tx);
}

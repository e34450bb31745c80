import { nilUuid } from '@berth/database';
import { defineResyncSource, executionMessage, type KeyOnly, type ResyncSource } from '@berth/durable';
import { sql } from 'kysely';

/**
 * Open executions with attempts to settle, and those that are to end: cancelled ones, and those whose tasks are all in a
 * final state. Executions with waiting tasks are found by `waitingWork`.
 */
export const unfinishedExecutions: ResyncSource<KeyOnly> = defineResyncSource({
  to: executionMessage,
  async page(database, after, limit) {
    const { rows } = await sql<{ id: string }>`
      select id from executions
      where completed_at is null and id > ${after ?? nilUuid} and (
        status = 'cancelling' or succeeded + failed + cancelled = task_count
        or exists (
          select 1 from instances where execution_id = executions.id and settled_at is null
            and (result is not null or ended_at is not null or (state = 'ready' and executions.status = 'pending')))
      ) order by id limit ${limit}`.execute(database);
    return rows.map(({ id }) => ({ key: id, message: {} }));
  },
});

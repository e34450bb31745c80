import { defineResyncSource, dispatchKey, dispatchMessage, type KeyOnly, type ResyncSource } from '@berth/durable';
import { sql } from 'kysely';

/** One message when any open execution has a waiting task: a run of `dispatch` looks at all of them. */
export const waitingWork: ResyncSource<KeyOnly> = defineResyncSource({
  to: dispatchMessage,
  async page(database, after) {
    if (after !== undefined) return [];
    const { rows } = await sql`
      select 1 from executions
      where completed_at is null and status in ('queued', 'pending', 'running')
        and task_count > active + succeeded + failed + cancelled
      limit 1`.execute(database);
    return rows.map(() => ({ key: dispatchKey, message: {} }));
  },
});

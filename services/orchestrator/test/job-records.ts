// Rows of executions, tasks and attempts, as tests of jobs compare them.
import type { Database } from '@berth/database';
import { sql } from 'kysely';

export class JobRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async idOf(externalId: string): Promise<string> {
    const row = await this.#database
      .selectFrom('executions')
      .select('id')
      .where('external_id', '=', externalId)
      .executeTakeFirstOrThrow();
    return row.id;
  }

  execution(id: string) {
    return this.#database.selectFrom('executions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  tasks(id: string) {
    return this.#database.selectFrom('tasks').selectAll().where('execution_id', '=', id).orderBy('index').execute();
  }

  async statuses(id: string): Promise<string[]> {
    const events = await this.#events(id);
    return events.flatMap(({ type, status }) => (type === 'execution' && status !== null ? [status] : []));
  }

  async messages(id: string): Promise<string[]> {
    return (await this.#events(id)).map(({ message }) => message ?? '');
  }

  #events(id: string) {
    return this.#database
      .selectFrom('resource_events')
      .select(['type', 'status', 'message'])
      .where('resource_uid', '=', id)
      .orderBy('time')
      .orderBy('id')
      .execute();
  }

  /** Attempts that are not over, oldest first. */
  async activeAttempts(id: string): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select id from instances where execution_id = ${id} and result is null and ended_at is null
      order by created_at, id`.execute(this.#database);
    return rows.map((row) => row.id);
  }

  /** Attempts that a runner still holds. */
  async unended(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from instances where execution_id is not null and ended_at is null`.execute(
      this.#database,
    );
    return rows[0]?.count ?? 0;
  }

  /** Executions whose counters differ from their tasks, and ended ones with an attempt that is not settled. */
  async wrongExecutions(): Promise<unknown[]> {
    const { rows } = await sql`
      select executions.id, executions.status from executions
      join lateral (
        select count(*) filter (where status in ('reconciling', 'running')) as active,
          count(*) filter (where status = 'succeeded') as succeeded,
          count(*) filter (where status = 'failed') as failed,
          count(*) filter (where status = 'cancelled') as cancelled
        from tasks where execution_id = executions.id
      ) as counted on true
      where (executions.active, executions.succeeded, executions.failed, executions.cancelled)
          is distinct from (counted.active, counted.succeeded, counted.failed, counted.cancelled)
        or (completed_at is not null and exists (
          select 1 from instances where execution_id = executions.id and settled_at is null))`.execute(this.#database);
    return rows;
  }
}

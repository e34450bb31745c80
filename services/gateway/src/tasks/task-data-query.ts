// Reads the arguments of tasks as JSON text: the gateway passes them on without parsing them.
import { bytesPerMb } from '@berth/contract';
import type { Database } from '@berth/database';
import type { TaskDataName } from '@berth/jobs';
import { sql } from 'kysely';

export interface TaskList {
  readonly count: number;
  /** Arguments of all tasks in order, with commas between them; undefined when they are too large together. */
  readonly inputs: string | undefined;
}

/** Above this size a task gets only its own arguments: otherwise each of 100 000 tasks could read tens of megabytes. */
const maxListBytes = bytesPerMb;
/**
 * A larger execution is not read to measure it. 100 000 rows with `maxListBytes` of arguments count as 14 MB in
 * `executions.bytes`, which includes a fixed cost for each row.
 */
const maxReadBytes = 16 * bytesPerMb;

/** Undefined when there is no such execution, or when it has ended. */
export async function queryTaskList(database: Database, executionId: string): Promise<TaskList | undefined> {
  const { rows } = await sql<{ task_count: number; inputs: string | null }>`
    select task_count, case when octet_length(inputs) <= ${maxListBytes} then inputs end as inputs
    from executions, lateral (
      select string_agg(input::text, ',' order by index) as inputs from tasks
      where execution_id = executions.id and executions.bytes <= ${maxReadBytes}) as read
    where id = ${executionId} and completed_at is null`.execute(database);
  const [row] = rows;
  return row && { count: row.task_count, inputs: row.inputs ?? undefined };
}

/** Arguments of one task. */
export async function queryTaskInput(
  database: Database,
  { executionId, index }: TaskDataName,
): Promise<string | undefined> {
  const { rows } = await sql<{ input: string }>`
    select input::text as input from tasks where execution_id = ${executionId} and index = ${index}`.execute(database);
  return rows[0]?.input;
}

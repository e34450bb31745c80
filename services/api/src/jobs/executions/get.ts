import { inlineTasks } from '@berth/contract';
import type { Database } from '@berth/database';
import { type ExecutionRow, findExecution, findJob, type TaskRow, taskColumns } from './record.ts';
import { renderExecution } from './render.ts';
import { statsOf } from './stats.ts';

export interface ExecutionPlace {
  readonly workspace: { readonly id: string; readonly name: string };
  readonly job: string;
  readonly executionId: string;
}

export async function getExecution(database: Database, place: ExecutionPlace): Promise<unknown> {
  const job = await findJob(database, place.workspace.id, place.job);
  return showExecution(database, place, await findExecution(database, job.uid, place.executionId));
}

export async function showExecution(database: Database, place: ExecutionPlace, row: ExecutionRow): Promise<unknown> {
  const stats = await statsOf(database, [row]);
  const names = { job: place.job, workspace: place.workspace.name };
  return renderExecution(row, names, stats.get(row.id), await firstTasks(database, row.id));
}

const firstTasks = (database: Database, executionId: string): Promise<TaskRow[]> =>
  database
    .selectFrom('tasks')
    .select(taskColumns)
    .where('execution_id', '=', executionId)
    .orderBy('index')
    .limit(inlineTasks)
    .execute();

import { inlineTasks } from '@berth/contract';
import type { Database } from '@berth/database';
import { type ExecutionRow, findExecution, findJob, type TaskRow, taskColumns } from './record.ts';
import { renderExecution } from './render.ts';

export interface ExecutionPath {
  readonly workspace: { readonly id: string; readonly name: string };
  readonly job: string;
  readonly executionId: string;
  /** Days for which a finished execution stays readable. */
  readonly retentionDays: number;
  /** Time of the request. */
  readonly now: number;
}

export async function getExecution(database: Database, path: ExecutionPath): Promise<unknown> {
  const job = await findJob(database, path.workspace.id, path.job);
  return showExecution(database, path, await findExecution(database, job.uid, path.executionId));
}

export async function showExecution(database: Database, path: ExecutionPath, row: ExecutionRow): Promise<unknown> {
  const { job, workspace, retentionDays, now } = path;
  const view = { job, workspace: workspace.name, retentionDays, now };
  return renderExecution(row, view, await firstTasks(database, row.id));
}

const firstTasks = (database: Database, executionId: string): Promise<TaskRow[]> =>
  database
    .selectFrom('tasks')
    .select(taskColumns)
    .where('execution_id', '=', executionId)
    .orderBy('index')
    .limit(inlineTasks)
    .execute();

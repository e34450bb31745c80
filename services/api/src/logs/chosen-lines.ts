// Which lines a query of the API asks for.
import type { LoggedType, LogsQuery } from '@berth/contract';
import type { LogQuery } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { findExecutionIds } from './find-execution-ids.ts';
import { readableTypes } from './readable-types.ts';
import { taskIndexOf } from './task-index-of.ts';

type Asked = Pick<LogsQuery, 'resourceType' | 'workloadIds' | 'severity' | 'search' | 'executionId' | 'taskId'>;
type Chosen = Pick<
  LogQuery,
  'workspaceId' | 'resourceTypes' | 'workloads' | 'severities' | 'search' | 'executionIds' | 'task'
>;

/** Undefined when no line can match. */
export async function chosenLines(
  { principal, workspace, database }: Pick<ReadCall, 'principal' | 'workspace' | 'database'>,
  { resourceType, workloadIds, severity, search, executionId, taskId }: Asked,
): Promise<Chosen | undefined> {
  const resourceTypes = readableTypes(resourceType, principal.scopes);
  const chosen = { workspaceId: workspace.id, resourceTypes, workloads: workloadIds, severities: severity, search };
  if (executionId === undefined && taskId === undefined) return chosen;
  const task = taskId === undefined ? undefined : taskIndexOf(taskId);
  // Only jobs have executions and tasks.
  if (!isOfJobs(resourceTypes) || (taskId !== undefined && task === undefined)) return undefined;
  if (executionId === undefined) return { ...chosen, task };
  const executionIds = await findExecutionIds(database, { workspaceId: workspace.id, jobs: workloadIds, executionId });
  return executionIds.length === 0 ? undefined : { ...chosen, task, executionIds };
}

const isOfJobs = (types: readonly LoggedType[]): boolean => types.includes('jobs');

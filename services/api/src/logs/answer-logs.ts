import type { LoggedType, LogsQuery, listLogs, ResourceLogResponse } from '@berth/contract';
import type { LogQuery, WorkloadLogs } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { findExecutionIds } from './find-execution-ids.ts';
import { logWindow } from './log-window.ts';
import { readableTypes } from './readable-types.ts';
import { taskIndexOf } from './task-index-of.ts';
import { withUsage } from './with-usage.ts';

type LogsCall = ReadCall<typeof listLogs>;

export async function answerLogs(call: LogsCall): Promise<Readonly<Record<string, ResourceLogResponse>>> {
  const { query, principal, workspace, dependencies } = call;
  const { workloadIds, severity, search, limit = 1000, offset = 0, interval = 60 } = query;
  const resourceTypes = readableTypes(query.resourceType, principal.scopes);
  const window = logWindow({ start: query.start, end: query.end, intervalSeconds: interval }, dependencies.now());
  const tasks = filtersOnMissingFields(query) ? undefined : await taskFilter(call, resourceTypes);
  const found = await withUsage(dependencies, async ({ logs }) => {
    if (tasks === undefined) return new Map<string, WorkloadLogs>();
    return logs.query({
      ...window,
      ...tasks,
      workspaceId: workspace.id,
      resourceTypes,
      workloads: workloadIds,
      severities: severity,
      search,
      limit,
      offset,
      intervalSeconds: interval,
    });
  });
  const names = workloadIds ?? [...found.keys()];
  return Object.fromEntries(names.map((name) => [name, render(found.get(name))]));
}

/** Log lines carry no trace or type yet, so these filters match nothing. */
const filtersOnMissingFields = ({ traceId, type = 'all' }: LogsQuery): boolean =>
  traceId !== undefined || type !== 'all';

/** Undefined when no line can match: only jobs have executions and tasks. */
async function taskFilter(
  { query: { executionId, taskId, workloadIds }, workspace, database }: LogsCall,
  resourceTypes: readonly LoggedType[],
): Promise<Pick<LogQuery, 'executionIds' | 'task'> | undefined> {
  if (executionId === undefined && taskId === undefined) return {};
  const task = taskId === undefined ? undefined : taskIndexOf(taskId);
  if (!resourceTypes.includes('jobs') || (taskId !== undefined && task === undefined)) return undefined;
  if (executionId === undefined) return { task };
  const executionIds = await findExecutionIds(database, { workspaceId: workspace.id, jobs: workloadIds, executionId });
  return executionIds.length === 0 ? undefined : { task, executionIds };
}

const nothing: WorkloadLogs = { lines: [], total: 0, buckets: [] };

const render = ({ lines, total, buckets }: WorkloadLogs = nothing): ResourceLogResponse => ({
  logs: lines.map(({ at, severity, text }) => ({
    timestamp: `${at.replace(' ', 'T')}Z`,
    message: text,
    severity,
    trace_id: '',
  })),
  totalCount: total,
  chart: buckets.map(({ start, count, debug, error, fatal, info, trace, unknown, warning }) => ({
    timestamp: new Date(start * 1000).toISOString(),
    ...{ count, debug, error, fatal, info, trace, unknown, warning },
  })),
});

import {
  LoggedType,
  type LogsQuery,
  lacksScope,
  type listLogs,
  type ResourceLogResponse,
  requestErrors,
} from '@berth/contract';
import type { WorkloadLogs } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { logWindow } from './log-window.ts';
import { withUsage } from './with-usage.ts';

export async function answerLogs({
  query,
  principal,
  workspace,
  dependencies,
}: ReadCall<typeof listLogs>): Promise<Readonly<Record<string, ResourceLogResponse>>> {
  const { workloadIds, severity, search, limit = 1000, offset = 0, interval = 60 } = query;
  const resourceTypes = readableTypes(query, principal.scopes);
  const window = logWindow({ start: query.start, end: query.end, intervalSeconds: interval }, dependencies.now());
  const found = await withUsage(dependencies, async ({ logs }) => {
    if (filtersOnMissingFields(query)) return new Map<string, WorkloadLogs>();
    return logs.query({
      ...window,
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

/** A named resource type requires its scope; without a name, all types that the credential may read are included. */
function readableTypes({ resourceType }: LogsQuery, held: readonly string[] | undefined): LoggedType[] {
  const lacking = (type: LoggedType) => lacksScope(held, [`${type}:get`]);
  if (resourceType === undefined) return LoggedType.options.filter((type) => lacking(type) === undefined);
  const scope = lacking(resourceType);
  if (scope !== undefined) throw requestErrors.scope_required({ scope });
  return [resourceType];
}

/** Log lines carry no trace, execution, task or type yet, so these filters match nothing. */
const filtersOnMissingFields = ({ traceId, taskId, executionId, type = 'all' }: LogsQuery): boolean =>
  traceId !== undefined || taskId !== undefined || executionId !== undefined || type !== 'all';

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

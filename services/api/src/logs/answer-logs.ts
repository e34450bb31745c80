import type { LogsQuery, listLogs, ResourceLogResponse } from '@berth/contract';
import type { WorkloadLogs } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { chosenLines } from './chosen-lines.ts';
import { logWindow } from './log-window.ts';
import { renderLine } from './render-line.ts';
import { withUsage } from './with-usage.ts';

type LogsCall = ReadCall<typeof listLogs>;

export async function answerLogs(call: LogsCall): Promise<Readonly<Record<string, ResourceLogResponse>>> {
  const { query, dependencies } = call;
  const { workloadIds, limit = 1000, offset = 0, interval = 60 } = query;
  const chosen = await chosenLines(call, query);
  const window = logWindow({ start: query.start, end: query.end, intervalSeconds: interval }, dependencies.now());
  const found = await withUsage(dependencies, async ({ logs }) => {
    if (chosen === undefined || filtersOnMissingFields(query)) return new Map<string, WorkloadLogs>();
    return logs.query({ ...window, ...chosen, limit, offset, intervalSeconds: interval });
  });
  const names = workloadIds ?? [...found.keys()];
  return Object.fromEntries(names.map((name) => [name, render(found.get(name))]));
}

/** Log lines carry no trace or type yet, so these filters match nothing. */
const filtersOnMissingFields = ({ traceId, type = 'all' }: LogsQuery): boolean =>
  traceId !== undefined || type !== 'all';

const nothing: WorkloadLogs = { lines: [], total: 0, buckets: [] };

const render = ({ lines, total, buckets }: WorkloadLogs = nothing): ResourceLogResponse => ({
  logs: lines.map(renderLine),
  totalCount: total,
  chart: buckets.map(({ start, count, debug, error, fatal, info, trace, unknown, warning }) => ({
    timestamp: new Date(start * 1000).toISOString(),
    ...{ count, debug, error, fatal, info, trace, unknown, warning },
  })),
});

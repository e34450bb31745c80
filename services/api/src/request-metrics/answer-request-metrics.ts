import type { listRequestMetrics, WorkloadRequestMetrics } from '@berth/contract';
import type { RequestFigures, WorkloadRequests } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { logWindow } from '../logs/log-window.ts';
import { readableTypes } from '../logs/readable-types.ts';
import { withRequests } from './with-requests.ts';

export async function answerRequestMetrics(
  call: ReadCall<typeof listRequestMetrics>,
): Promise<Readonly<Record<string, WorkloadRequestMetrics>>> {
  const { query, principal, workspace, dependencies } = call;
  const { resourceType, workloadIds, start, end, interval = 60 } = query;
  const resourceTypes = readableTypes(resourceType, principal.scopes);
  const window = logWindow({ start, end, intervalSeconds: interval }, dependencies.now());
  const found = await withRequests(dependencies, (requests) =>
    requests.query({
      ...window,
      workspaceId: workspace.id,
      resourceTypes,
      workloads: workloadIds,
      intervalSeconds: interval,
    }),
  );
  const names = workloadIds ?? [...found.keys()];
  return Object.fromEntries(names.map((name) => [name, render(found.get(name))]));
}

const noFigures: RequestFigures = {
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  bytesIn: 0,
  bytesOut: 0,
  latencyMs: undefined,
  firstByteMs: undefined,
};
const nothing: WorkloadRequests = { total: noFigures, buckets: [] };

const render = ({ total, buckets }: WorkloadRequests = nothing): WorkloadRequestMetrics => ({
  ...renderFigures(total),
  chart: buckets.map(({ start, ...figures }) => ({
    timestamp: new Date(start * 1_000).toISOString(),
    ...renderFigures(figures),
  })),
});

const renderFigures = ({ latencyMs, firstByteMs, ...counters }: RequestFigures) => ({
  ...counters,
  latencyMs: renderPercentiles(latencyMs),
  firstByteMs: renderPercentiles(firstByteMs),
});

/** Estimates: more digits would promise too much. */
const round = (ms: number): number => Math.round(ms * 10) / 10;

function renderPercentiles(percentiles: RequestFigures['latencyMs']) {
  if (percentiles === undefined) return null;
  const { p50, p95, p99 } = percentiles;
  return { p50: round(p50), p95: round(p95), p99: round(p99) };
}

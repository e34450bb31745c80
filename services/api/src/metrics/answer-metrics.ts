// Usage and cost over time: who sees what, the query, and its answer as a page of JSON or as CSV.
import type { getAccountMetrics } from '@berth/contract';
import { type ReadCall, StreamedAnswer } from '../http/call.ts';
import { answerCsv } from './answer-csv.ts';
import { readMetricsCursor, writeMetricsCursor } from './metrics-cursor.ts';
import { readPage } from './read-page.ts';
import { type AskedMetrics, readQuery } from './read-query.ts';
import { emptyGroup, renderEntry, renderSummary } from './render-metrics.ts';
import { requireNamesAllowed, visibleWorkspaces } from './visible-workspaces.ts';
import { withMetrics } from './with-metrics.ts';

type MetricsCall = ReadCall<typeof getAccountMetrics>;
/** Undefined for all workspaces of the account. */
type Visible = readonly string[] | undefined;

export async function answerMetrics(call: MetricsCall): Promise<StreamedAnswer> {
  const { query, principal, accountId, database, dependencies } = call;
  const workspaceIds = visibleWorkspaces(principal, accountId);
  requireNamesAllowed(workspaceIds, query);
  const asked = readQuery(query);
  if (query.format !== 'csv') return answerPage(call, asked, workspaceIds);
  const untilMs = dependencies.now();
  return answerCsv(query, asked, untilMs, (paged, after) =>
    withMetrics(dependencies, (metrics) =>
      readPage(database, metrics, paged, { accountId, workspaceIds, untilMs, after }),
    ),
  );
}

async function answerPage(call: MetricsCall, asked: AskedMetrics, workspaceIds: Visible): Promise<StreamedAnswer> {
  const { query, accountId, database, dependencies } = call;
  const { window, resolution, groupBy, filters, starts } = asked;

  const nowMs = dependencies.now();
  const bound = { query: { accountId, workspaceIds, window, resolution, groupBy, filters }, nowMs };
  const key = await dependencies.keyring.deploymentKey(dependencies.database, 'cursor');
  const walk = query.cursor === undefined ? undefined : readMetricsCursor(key, bound, query.cursor);
  const untilMs = walk?.untilMs ?? nowMs;
  const page = await withMetrics(dependencies, (metrics) =>
    readPage(database, metrics, asked, { accountId, workspaceIds, untilMs, after: walk?.after }),
  );
  // The totals of the first page: usage that arrived since would change them.
  const total = walk?.total ?? page.total;
  const next = page.hasMore ? page.last : undefined;

  const shown = { groupBy, resolution, fromMs: window.fromMs, starts };
  const head = {
    startTime: query.startTime.text,
    endTime: query.endTime.text,
    resolution,
    summary: renderSummary(total, shown),
    meta: {
      hasMore: next !== undefined,
      nextCursor: next === undefined ? '' : writeMetricsCursor(key, bound, { untilMs, total, after: next }),
    },
  };
  const groups = groupBy.length === 0 ? [page.groups[0] ?? emptyGroup] : page.groups;
  return new StreamedAnswer(answerText(head, groups, (group) => JSON.stringify(renderEntry(group, shown))));
}

/** Entry by entry, because a page can have hundreds of thousands of points. */
async function* answerText<Group>(
  head: object,
  groups: readonly Group[],
  textOf: (group: Group) => string,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`;
  for (const [index, group] of groups.entries()) yield (index === 0 ? '' : ',') + textOf(group);
  yield ']}';
}

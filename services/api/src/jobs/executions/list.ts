// Lists the executions of a job: in pages behind sealed cursors, or, for API versions without pages, as one array,
// newest first. Items do not include their tasks: an execution may have a hundred thousand.
import type { Sort } from '@berth/contract';
import type { Database } from '@berth/database';
import { type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { type ReadCall, StreamedAnswer } from '../../http/call.ts';
import type { Position } from '../../resources/cursor.ts';
import { cutPage, openPaging, streamArray } from '../../resources/paging.ts';
import type { ResourceRow } from '../../resources/record.ts';
import { normalizeQuery } from '../../resources/search-text.ts';
import { type ExecutionRow, executionColumns, findJob } from './record.ts';
import { renderExecution } from './render.ts';

interface ListQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: Sort | undefined;
  readonly q?: string | undefined;
}

type ListCall = Omit<ReadCall, 'operation' | 'params' | 'query' | 'body'> & { readonly query: ListQuery };

const defaultLimit = 20;
const streamedBatch = 500;
const LegacyQuery = z.object({ offset: z.int().default(0) });

export async function listExecutions(call: ListCall, jobName: string): Promise<unknown> {
  const job = await findJob(call.database, call.workspace.id, jobName);
  return call.version.has('wrappedLists') ? listPage(call, job) : streamAll(call, job);
}

async function listPage(call: ListCall, job: ResourceRow): Promise<unknown> {
  const { cursor, limit = defaultLimit, sort = 'createdAt:desc', q } = call.query;
  const search = normalizeQuery(q);
  const bound = { listing: 'execution', workspaceId: call.workspace.id, jobUid: job.uid, sort, search };
  const paging = await openPaging(call, bound, cursor);
  const rows = await readPage(call.database, { jobUid: job.uid, sort, search, after: paging.after, limit: limit + 1 });
  const { page, meta } = cutPage(rows, limit, paging, (row) => positionOf(sort, row));
  const total = await totalOf(call, job.uid);
  return { data: renderItems(call, job, page), meta: { ...meta, total } };
}

/** API versions without pages support only `offset`. */
function streamAll(call: ListCall, job: ResourceRow): StreamedAnswer {
  const { offset } = LegacyQuery.parse(call.query);
  const sort = 'createdAt:desc';
  const read = (last: ExecutionRow | undefined) =>
    readPage(call.database, {
      jobUid: job.uid,
      sort,
      limit: streamedBatch,
      ...(last === undefined ? { offset } : { after: positionOf(sort, last) }),
    });
  return new StreamedAnswer(streamArray(streamedBatch, read, async (rows) => renderItems(call, job, rows)));
}

interface PageQuery {
  readonly jobUid: string;
  readonly sort: Sort;
  readonly limit: number;
  readonly after?: Position | undefined;
  readonly offset?: number;
  readonly search?: string | undefined;
}

const byName = (sort: Sort): boolean => sort === 'name:asc' || sort === 'name:desc';

const positionOf = (sort: Sort, row: ExecutionRow): Position =>
  byName(sort) ? [row.external_id, row.id] : [row.created_at.toISOString(), row.id];

async function readPage(database: Database, page: PageQuery): Promise<ExecutionRow[]> {
  const order = page.sort.endsWith(':asc') ? 'asc' : 'desc';
  const comparison = order === 'asc' ? sql`>` : sql`<`;
  let query = database.selectFrom('executions').select(executionColumns).where('job_uid', '=', page.jobUid);
  if (page.search !== undefined) query = query.where(sql<SqlBool>`strpos(lower(external_id), ${page.search}) > 0`);
  if (page.after !== undefined) {
    const [key, id] = page.after;
    query = byName(page.sort)
      ? query.where(sql<SqlBool>`external_id ${comparison} ${key}`)
      : query.where(sql<SqlBool>`(created_at, id) ${comparison} (${key}::timestamptz, ${id}::uuid)`);
  }
  query = byName(page.sort)
    ? query.orderBy('external_id', order)
    : query.orderBy('created_at', order).orderBy('id', order);
  return query
    .limit(page.limit)
    .offset(page.offset ?? 0)
    .execute();
}

function renderItems(
  { workspace, dependencies }: ListCall,
  job: ResourceRow,
  rows: readonly ExecutionRow[],
): unknown[] {
  const { executionRetentionDays: retentionDays } = dependencies.config;
  const view = { job: job.name, workspace: workspace.name, retentionDays, now: dependencies.now() };
  return rows.map((row) => renderExecution(row, view));
}

async function totalOf({ database, workspace }: ListCall, jobUid: string): Promise<number> {
  const counter = await database
    .selectFrom('resource_counts')
    .select('live')
    .where('workspace_id', '=', workspace.id)
    .where('kind', '=', 'execution')
    .where('parent_uid', '=', jobUid)
    .executeTakeFirst();
  return counter?.live ?? 0;
}

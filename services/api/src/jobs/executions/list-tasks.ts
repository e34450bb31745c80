// Lists the tasks of an execution by index. Tasks are created together and named after their index, so age, name and
// index give the same order.
import type { Sort } from '@berth/contract';
import type { Database } from '@berth/database';
import { FixedSpec } from '@berth/jobs';
import { type SqlBool, sql } from 'kysely';
import { type ReadCall, StreamedAnswer } from '../../http/call.ts';
import { cutPage, openPaging, streamArray } from '../../resources/paging.ts';
import { normalizeQuery } from '../../resources/search-text.ts';
import { type ExecutionRow, findExecution, findJob, type TaskRow, taskColumns } from './record.ts';
import { renderTask } from './render.ts';

interface ListQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: Sort | undefined;
  readonly q?: string | undefined;
}

type ListCall = Omit<ReadCall, 'operation' | 'params' | 'query' | 'body'> & {
  readonly query: ListQuery;
  readonly params: { readonly jobId: string; readonly executionId: string };
};

const defaultLimit = 50;
const streamedBatch = 1000;

export async function listTasks(call: ListCall): Promise<unknown> {
  const job = await findJob(call.database, call.workspace.id, call.params.jobId);
  const execution = await findExecution(call.database, job.uid, call.params.executionId);
  return call.version.has('wrappedLists') ? listPage(call, execution) : streamAll(call, execution);
}

async function listPage(call: ListCall, execution: ExecutionRow): Promise<unknown> {
  const { cursor, limit = defaultLimit, sort = 'name:asc', q } = call.query;
  const search = normalizeQuery(q);
  const executionId = execution.id;
  const paging = await openPaging(call, { listing: 'task', executionId, sort, search }, cursor);
  const after = paging.after === undefined ? undefined : Number(paging.after[0]);
  const rows = await readPage(call.database, { executionId, sort, search, after, limit: limit + 1 });
  const { page, meta } = cutPage(rows, limit, paging, ({ index }) => [String(index), '']);
  return { data: renderAll(execution, page), meta: { ...meta, total: execution.task_count } };
}

function streamAll(call: ListCall, execution: ExecutionRow): StreamedAnswer {
  const read = (last: TaskRow | undefined) =>
    readPage(call.database, {
      executionId: execution.id,
      sort: 'name:asc',
      after: last?.index,
      limit: streamedBatch,
    });
  return new StreamedAnswer(streamArray(streamedBatch, read, async (rows) => renderAll(execution, rows)));
}

const renderAll = (execution: ExecutionRow, rows: readonly TaskRow[]) => {
  const fixed = FixedSpec.parse(execution.spec);
  return rows.map((row) => renderTask(row, fixed));
};

interface PageQuery {
  readonly executionId: string;
  readonly sort: Sort;
  readonly limit: number;
  readonly after: number | undefined;
  readonly search?: string | undefined;
}

async function readPage(database: Database, page: PageQuery): Promise<TaskRow[]> {
  const order = page.sort.endsWith(':asc') ? 'asc' : 'desc';
  let query = database.selectFrom('tasks').select(taskColumns).where('execution_id', '=', page.executionId);
  if (page.search !== undefined) query = query.where(sql<SqlBool>`strpos('task-' || index, ${page.search}) > 0`);
  if (page.after !== undefined) query = query.where('index', order === 'asc' ? '>' : '<', page.after);
  return query.orderBy('index', order).limit(page.limit).execute();
}

// Lists the audit log of a workspace or of an account, newest first, in pages behind sealed cursors.
import type { Database, Tables } from '@berth/database';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { ReadCall } from '../http/call.ts';
import type { Position } from '../resources/cursor.ts';
import { cutPage, openPaging } from '../resources/paging.ts';

type Scope = { readonly workspaceId: string } | { readonly accountId: string };

interface Filters {
  readonly subject?: string | undefined;
  readonly keyId?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface EntryQuery extends Filters {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

type Row = Selectable<Tables['audit_log']>;

const defaultLimit = 50;

export async function listEntries(
  call: Pick<ReadCall, 'database' | 'dependencies'>,
  scope: Scope,
  { cursor, limit = defaultLimit, subject, keyId, action, from, to }: EntryQuery,
): Promise<unknown> {
  const filters = { subject, keyId, action, from, to };
  const paging = await openPaging(call, { listing: 'audit', place: scope, filters }, cursor);
  const rows = await readRows(call.database, scope, filters, paging.after, limit + 1);
  const { page, meta } = cutPage(rows, limit, paging, ({ at, id }): Position => [at.toISOString(), String(id)]);
  return { data: page.map(render), meta };
}

function readRows(
  database: Database,
  scope: Scope,
  { subject, keyId, action, from, to }: Filters,
  after: Position | undefined,
  limit: number,
): Promise<Row[]> {
  let query = database.selectFrom('audit_log').selectAll();
  query =
    'workspaceId' in scope
      ? query.where('workspace_id', '=', scope.workspaceId)
      : query.where('account_id', '=', scope.accountId);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (keyId !== undefined) query = query.where('key_id', '=', keyId);
  if (action !== undefined) query = query.where('action', '=', action);
  if (from !== undefined) query = query.where('at', '>=', new Date(from));
  if (to !== undefined) query = query.where('at', '<', new Date(to));
  // The separate condition on the time lets PostgreSQL skip the partitions of other months.
  if (after !== undefined)
    query = query
      .where('at', '<=', new Date(after[0]))
      .where(sql<SqlBool>`(at, id) < (${after[0]}::timestamptz, ${after[1]}::bigint)`);
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

const render = (row: Row) => ({
  at: row.at.toISOString(),
  action: row.action,
  target: row.target,
  subject: row.subject,
  subjectType: row.subject_type,
  ...(row.key_id === null ? {} : { keyId: row.key_id }),
  ...(row.address === null ? {} : { address: row.address }),
  uses: row.uses,
  requestId: row.request_id,
  ...(row.workspace_id === null ? {} : { workspaceId: row.workspace_id }),
});

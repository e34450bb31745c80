// Callbacks of a workspace, newest first, in pages behind sealed cursors. An id begins with the time of its callback, so it orders
// them.
import { type DeliveryStatus, type getDelivery, type listDeliveries, requestErrors, Uuid } from '@berth/contract';
import type { Database } from '@berth/database';
import { type SqlBool, sql } from 'kysely';
import type { ReadCall } from '../http/call.ts';
import { cutPage, openPaging } from '../resources/paging.ts';

const defaultLimit = 50;

/** An execution is known to clients by another id than its own. */
const select = (database: Database, workspaceId: string) =>
  database
    .selectFrom('deliveries')
    .leftJoin('resources', 'resources.uid', 'deliveries.resource_uid')
    .leftJoin('executions', 'executions.id', 'deliveries.execution_id')
    .select([
      'deliveries.id',
      'resources.name',
      'deliveries.trigger_id',
      'execution_id',
      'executions.external_id',
      'invocation_id',
      'url',
      'attempts',
      'next_at',
      'last_status',
      'last_error',
      'deliveries.created_at',
      'delivered_at',
      'given_up_at',
    ])
    .where('deliveries.workspace_id', '=', workspaceId);

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const conditions: Readonly<Record<DeliveryStatus, ReturnType<typeof sql<SqlBool>>>> = {
  waiting: sql<SqlBool>`delivered_at is null and given_up_at is null`,
  delivered: sql<SqlBool>`delivered_at is not null`,
  given_up: sql<SqlBool>`given_up_at is not null`,
};

export async function readDeliveries(call: ReadCall<typeof listDeliveries>) {
  const { cursor, limit = defaultLimit, status } = call.query;
  const { id: workspaceId } = call.workspace;
  const paging = await openPaging(call, { listing: 'delivery', workspaceId, status }, cursor);
  let query = select(call.database, workspaceId);
  if (status !== undefined) query = query.where(conditions[status]);
  if (paging.after !== undefined) query = query.where('deliveries.id', '<', paging.after[1]);
  const rows = await query
    .orderBy('deliveries.id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, meta } = cutPage(rows, limit, paging, ({ id }) => ['', id]);
  return { data: page.map(render), meta };
}

export const readDelivery = ({ database, workspace, params }: ReadCall<typeof getDelivery>) =>
  showDelivery(database, workspace.id, params.deliveryId);

export async function showDelivery(database: Database, workspaceId: string, id: string) {
  const row = Uuid.safeParse(id).success
    ? await select(database, workspaceId).select('body').where('deliveries.id', '=', id).executeTakeFirst()
    : undefined;
  if (row === undefined) throw requestErrors.not_found();
  return { ...render(row), body: row.body };
}

function render(row: Row) {
  const endedAt = row.delivered_at ?? row.given_up_at;
  return {
    id: row.id,
    status: statusOf(row),
    resourceType: row.execution_id === null ? 'agent' : 'job',
    ...(row.name === null ? {} : { resourceName: row.name }),
    triggerId: row.trigger_id ?? '',
    ...(row.external_id === null ? {} : { executionId: row.external_id }),
    ...(row.invocation_id === null ? {} : { invocationId: row.invocation_id }),
    url: row.url,
    attempts: row.attempts,
    ...(endedAt === null ? { nextAt: row.next_at.toISOString() } : {}),
    ...(row.last_status === null ? {} : { lastStatus: row.last_status }),
    ...(row.last_error === null ? {} : { lastError: row.last_error }),
    createdAt: row.created_at.toISOString(),
    ...(endedAt === null ? {} : { endedAt: endedAt.toISOString() }),
  };
}

function statusOf({ delivered_at, given_up_at }: Pick<Row, 'delivered_at' | 'given_up_at'>): DeliveryStatus {
  if (delivered_at !== null) return 'delivered';
  return given_up_at === null ? 'waiting' : 'given_up';
}

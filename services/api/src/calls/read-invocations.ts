// Asynchronous calls of an agent, newest first, in pages behind sealed cursors. An id begins with the time of its call, so it
// orders them.
import { type getInvocation, type listInvocations, requestErrors, Uuid } from '@berth/contract';
import type { Database } from '@berth/database';
import type { ReadCall } from '../http/call.ts';
import { cutPage, openPaging } from '../resources/paging.ts';
import { findLive } from '../resources/record.ts';

const defaultLimit = 50;

const select = (database: Database, agentUid: string) =>
  database
    .selectFrom('invocations')
    .leftJoin('deliveries', 'deliveries.invocation_id', 'invocations.id')
    .select([
      'invocations.id',
      'status',
      'invocations.trigger_id',
      'subject',
      'method',
      'path',
      'body_bytes',
      'runs',
      'max_runs',
      'timeout_seconds',
      'accepted_at',
      'invocations.next_at',
      'started_at',
      'ended_at',
      'status_code',
      'response_bytes',
      'error',
      'deliveries.id as delivery_id',
    ])
    .where('invocations.resource_uid', '=', agentUid);

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

export async function readInvocations(call: ReadCall<typeof listInvocations>) {
  const { cursor, limit = defaultLimit, status } = call.query;
  const uid = await uidOf(call);
  const paging = await openPaging(call, { listing: 'invocation', uid, status }, cursor);
  let query = select(call.database, uid);
  if (status !== undefined) query = query.where('status', '=', status);
  if (paging.after !== undefined) query = query.where('invocations.id', '<', paging.after[1]);
  const rows = await query
    .orderBy('invocations.id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, meta } = cutPage(rows, limit, paging, ({ id }) => ['', id]);
  return { data: page.map(render), meta };
}

export async function readInvocation(call: ReadCall<typeof getInvocation>) {
  const { invocationId } = call.params;
  const uid = await uidOf(call);
  const row = Uuid.safeParse(invocationId).success
    ? await select(call.database, uid).where('invocations.id', '=', invocationId).executeTakeFirst()
    : undefined;
  if (row === undefined) throw requestErrors.not_found();
  return render(row);
}

async function uidOf(call: ReadCall<typeof listInvocations> | ReadCall<typeof getInvocation>): Promise<string> {
  const { database, workspace, params } = call;
  const agent = await findLive(database, { workspaceId: workspace.id, kind: 'agent' }, params.agentName);
  if (agent === undefined) throw requestErrors.not_found();
  return agent.uid;
}

const render = (row: Row) => ({
  id: row.id,
  status: row.status,
  ...(row.trigger_id === null ? {} : { triggerId: row.trigger_id }),
  ...(row.subject === null ? {} : { subject: row.subject }),
  method: row.method,
  path: row.path,
  bodyBytes: row.body_bytes,
  runs: row.runs,
  maxRuns: row.max_runs,
  timeout: row.timeout_seconds,
  acceptedAt: row.accepted_at.toISOString(),
  ...(row.status === 'queued' ? { nextAt: row.next_at.toISOString() } : {}),
  ...(row.started_at === null ? {} : { startedAt: row.started_at.toISOString() }),
  ...(row.ended_at === null ? {} : { endedAt: row.ended_at.toISOString() }),
  ...(row.status_code === null ? {} : { statusCode: row.status_code }),
  ...(row.response_bytes === null ? {} : { responseBytes: row.response_bytes }),
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.delivery_id === null ? {} : { deliveryId: row.delivery_id }),
});

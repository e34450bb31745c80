// The stream to a runner: first all its desired instances, then the changes. At every notice and at every poll the sent
// state is compared with the database, so a change without a notice arrives with the next poll.
import { randomBytes } from 'node:crypto';
import { agreeOn, type DesiredInstance, Hello, inWords, nodeProtocol, type StreamMessage } from '@berth/contract/node';
import { type DatabaseTransaction, databaseClock, enqueue, loadDeploymentEpoch, outboxKeys } from '@berth/database';
import { sql } from 'kysely';
import type { z } from 'zod';
import { callSecretOf } from './call-secret.ts';
import { type Desired, type DesiredRow, loadDesiredRows, loadInstances } from './desired-instances.ts';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';
import { recordReturn } from './record-return.ts';

const pulseSeconds = 5;
/** Poll interval without a notice. */
const pollMs = 2_000;

export interface Session {
  readonly session: number;
  /** Version of the node protocol in this session. */
  readonly protocol: number;
  /** Set for a runner of the previous release, which does not check certificates of callers. */
  readonly secrets: { readonly ingressSecret: string; readonly callSecret: string } | undefined;
}

/** Opens a session; messages of the runner's older sessions are refused from then on. */
export async function openSession(context: NodeContext, runnerId: string, body: unknown): Promise<Session> {
  const hello = Hello.parse(body);
  const theirs = { oldest: hello.oldestProtocol ?? hello.protocol, newest: hello.protocol };
  const protocol = agreeOn(nodeProtocol, theirs);
  if (protocol === undefined)
    throw nodeErrors.protocol_unsupported({ ours: inWords(nodeProtocol), theirs: inWords(theirs) });
  const ingressSecret = hello.ingressCredential === 'secret' ? randomBytes(32).toString('base64url') : null;
  const session = await context.database
    .transaction()
    .execute((tx) => beginSession(tx, runnerId, hello, ingressSecret));
  context.dependencies.notifyOutbox();
  if (ingressSecret === null) return { session, protocol, secrets: undefined };
  return { session, protocol, secrets: { ingressSecret, callSecret: await callSecretOf(context, ingressSecret) } };
}

async function beginSession(
  tx: DatabaseTransaction,
  runnerId: string,
  hello: z.output<typeof Hello>,
  ingressSecret: string | null,
): Promise<number> {
  const before = await tx
    .selectFrom('runners')
    .select('status')
    .where('id', '=', runnerId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const { session } = await tx
    .updateTable('runners')
    .set({
      session: sql<number>`session + 1`,
      status: 'up',
      isolation: [...hello.isolation],
      memory_mb: hello.memoryMb,
      cpus: hello.cpus,
      max_tasks: hello.maxTasks,
      version: hello.version,
      ingress_address: hello.ingress ?? null,
      ingress_secret: ingressSecret,
      warm: JSON.stringify(hello.warm),
      warm_lately: hello.warmLately,
      last_seen_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', runnerId)
    .returning('session')
    .executeTakeFirstOrThrow();
  if (before.status === 'lost') {
    await recordReturn(tx, runnerId);
    return session;
  }
  // The new session may ask for other warm pools than the previous one, and may run more tasks.
  await enqueue(tx, { topic: 'pool', key: runnerId });
  if (hello.maxTasks > 0) await enqueue(tx, { topic: 'dispatch', key: outboxKeys.dispatch });
  return session;
}

/** Ends when the signal aborts or a newer session has begun. */
export async function* streamMessages(
  context: NodeContext,
  runnerId: string,
  { session, protocol, secrets }: Session,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const { epoch } = await loadDeploymentEpoch(context.database);
  const nowMs = await databaseClock(context.database);
  yield { type: 'welcome', session, protocol, pulseSeconds, nowMs, epoch, ...secrets };
  const first = await loadDesiredRows(context, runnerId);
  const instances = await loadInstances(context, idsOf(first, 'running'));
  yield { type: 'all', instances, leaving: idsOf(first, 'leaving'), gone: idsOf(first, 'gone') };
  const sent: Sent = new Map(instances.map(({ id, generation }) => [id, { desired: 'running', generation }]));
  for (const { id, desired, generation } of first) if (desired !== 'running') sent.set(id, { desired, generation });
  let quietSince = Date.now();
  let seen: readonly DesiredRow[] = [];
  let discarded = '';
  while (!signal.aborted) {
    const isAnnounced = await context.changes.next(runnerId, pollMs, signal);
    if (signal.aborted) return;
    const [runner, rows] = await Promise.all([loadRunner(context, runnerId), loadDesiredRows(context, runnerId)]);
    if (runner?.session !== session) return;
    const messages = await differences(context, rows, sent, isAnnounced ? rows : seen);
    seen = rows;
    yield* messages;
    // Sent once in each stream. A runner that fails keeps the orphan, and gets the order again with its next stream.
    if (runner.toDiscard.length > 0 && runner.toDiscard.join() !== discarded)
      yield { type: 'discard', orphans: runner.toDiscard };
    discarded = runner.toDiscard.join();
    if (messages.length > 0) quietSince = Date.now();
    if (Date.now() - quietSince < pulseSeconds * 1_000) continue;
    yield { type: 'pulse' };
    quietSince = Date.now();
  }
}

const idsOf = (rows: readonly DesiredRow[], desired: Desired): string[] =>
  rows.filter((each) => each.desired === desired).map(({ id }) => id);

type Sent = Map<string, Pick<DesiredRow, 'desired' | 'generation'>>;

/**
 * Updates `sent` and returns the messages for the runner. A new generation that is not due waits for the next poll: the
 * api may be calling the runner directly at this moment, and sending it twice would slow down exactly the path that has
 * to be fast.
 */
async function differences(
  context: NodeContext,
  rows: readonly DesiredRow[],
  sent: Sent,
  due: readonly DesiredRow[],
): Promise<StreamMessage[]> {
  const desiredIds = new Set(rows.map(({ id }) => id));
  const dueOf = new Map(due.map(({ id, generation }) => [id, generation]));
  const fresh = rows.filter(
    ({ id, desired, generation }) => desired === 'running' && generation > (sent.get(id)?.generation ?? 0),
  );
  for (const { id, generation, isApplied } of fresh) if (isApplied) sent.set(id, { desired: 'running', generation });
  const unsent = fresh.filter(({ id, generation, isApplied }) => !isApplied && dueOf.get(id) === generation);
  const instances: DesiredInstance[] = await loadInstances(
    context,
    unsent.map(({ id }) => id),
  );
  const retired = rows.filter(({ id, desired }) => desired !== 'running' && sent.get(id)?.desired !== desired);
  // Ended rows are unset too: a runner that was marked lost still has their containers.
  const ended = [...sent].filter(([id, was]) => was.desired === 'running' && !desiredIds.has(id)).map(([id]) => id);
  for (const { id, generation } of instances) sent.set(id, { desired: 'running', generation });
  for (const { id, desired, generation } of retired) sent.set(id, { desired, generation });
  for (const id of [...sent.keys()]) if (!desiredIds.has(id)) sent.delete(id);
  return [
    ...ended.map((id): StreamMessage => ({ type: 'unset', id, isLeaving: false })),
    ...retired.map(({ id, desired }): StreamMessage => ({ type: 'unset', id, isLeaving: desired === 'leaving' })),
    ...instances.map((instance): StreamMessage => ({ type: 'set', instance })),
  ];
}

interface PolledRunner {
  readonly session: number;
  /** Orphans whose removal is ordered. */
  readonly toDiscard: string[];
}

async function loadRunner({ database }: NodeContext, runnerId: string): Promise<PolledRunner | undefined> {
  const { rows } = await sql<PolledRunner>`
    select session, array(select instance_id::text from orphans
      where runner_id = runners.id and removal_ordered_at is not null order by instance_id) as "toDiscard"
    from runners where id = ${runnerId}`.execute(database);
  return rows[0];
}

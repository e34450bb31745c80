// The one stream of a runner: first everything it should run, then what changes. What was sent is held against the database
// at every notice, so a change that nobody announced arrives with the next look.
import { randomBytes } from 'node:crypto';
import { type DesiredInstance, Hello, nodeProtocolVersion, type StreamMessage } from '@berth/contract';
import { sql } from 'kysely';
import { type Desired, loadInstances, loadWanted, type Wanted } from './desired-instances.ts';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';

const pulseSeconds = 5;
/** How often the database is looked at without a notice. */
const lookMs = 2_000;

export interface Session {
  readonly session: number;
  /** Known to the runner and to whoever reads the database: by it a gateway may speak to the runner's instances. */
  readonly ingressSecret: string;
}

/** Opens a session: what the runner says on older ones is not heard any more. */
export async function openSession({ database }: NodeContext, runnerId: string, body: unknown): Promise<Session> {
  const hello = Hello.parse(body);
  if (hello.protocol !== nodeProtocolVersion)
    throw nodeErrors.protocol_unsupported({ ours: nodeProtocolVersion, theirs: hello.protocol });
  const ingressSecret = randomBytes(32).toString('base64url');
  const { session } = await database
    .updateTable('runners')
    .set({
      session: sql<number>`session + 1`,
      status: 'up',
      isolation: [...hello.isolation],
      memory_mb: hello.memoryMb,
      cpus: hello.cpus,
      version: hello.version,
      ingress_address: hello.ingress ?? null,
      ingress_secret: ingressSecret,
      last_seen_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', runnerId)
    .returning('session')
    .executeTakeFirstOrThrow();
  return { session, ingressSecret };
}

/** Ends with the signal, or when a newer session has begun. */
export async function* streamMessages(
  context: NodeContext,
  runnerId: string,
  { session, ingressSecret }: Session,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  yield { type: 'welcome', session, pulseSeconds, ingressSecret };
  const first = await loadWanted(context, runnerId);
  const instances = await loadInstances(context, idsOf(first, 'running'));
  yield { type: 'all', instances, leaving: idsOf(first, 'leaving'), gone: idsOf(first, 'gone') };
  const sent = new Map<string, Desired>(instances.map(({ id }) => [id, 'running']));
  for (const { id, desired } of first) if (desired !== 'running') sent.set(id, desired);
  let quietSince = Date.now();
  while (!signal.aborted) {
    await context.changes.next(runnerId, lookMs, signal);
    if (signal.aborted) return;
    const [isNewest, wanted] = await Promise.all([
      isCurrent(context, runnerId, session),
      loadWanted(context, runnerId),
    ]);
    if (!isNewest) return;
    const messages = await differences(context, wanted, sent);
    yield* messages;
    if (messages.length > 0) quietSince = Date.now();
    if (Date.now() - quietSince < pulseSeconds * 1_000) continue;
    yield { type: 'pulse' };
    quietSince = Date.now();
  }
}

const idsOf = (wanted: readonly Wanted[], desired: Desired): string[] =>
  wanted.filter((each) => each.desired === desired).map(({ id }) => id);

/** Brings `sent` up to date and says what that takes. */
async function differences(
  context: NodeContext,
  rows: readonly Wanted[],
  sent: Map<string, Desired>,
): Promise<StreamMessage[]> {
  const wanted = new Map(rows.map(({ id, desired }) => [id, desired]));
  const fresh = [...wanted].filter(([id, desired]) => desired === 'running' && !sent.has(id)).map(([id]) => id);
  const instances: DesiredInstance[] = await loadInstances(context, fresh);
  const retired = [...wanted].filter(([id, desired]) => desired !== 'running' && sent.get(id) !== desired);
  // Rows that ended are taken back too: a runner that was given up for lost still holds their containers.
  const ended = [...sent].filter(([id, was]) => was === 'running' && !wanted.has(id)).map(([id]) => id);
  for (const { id } of instances) sent.set(id, 'running');
  for (const [id, desired] of retired) sent.set(id, desired);
  for (const id of [...sent.keys()]) if (!wanted.has(id)) sent.delete(id);
  return [
    ...ended.map((id): StreamMessage => ({ type: 'unset', id, isLeaving: false })),
    ...retired.map(([id, desired]): StreamMessage => ({ type: 'unset', id, isLeaving: desired === 'leaving' })),
    ...instances.map((instance): StreamMessage => ({ type: 'set', instance })),
  ];
}

async function isCurrent({ database }: NodeContext, runnerId: string, session: number): Promise<boolean> {
  const row = await database.selectFrom('runners').select('session').where('id', '=', runnerId).executeTakeFirst();
  return row?.session === session;
}

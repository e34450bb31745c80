// Accepts an asynchronous call, in one transaction. The agent and its trigger are read again there: what the gateway has cached may
// be a moment old.
import { type DatabaseTransaction, type JsonObject, liveResource, uuidv7 } from '@berth/database';
import type { Principal } from '@berth/identity';
import { pathTriggersOf } from '@berth/triggers';
import { sql } from 'kysely';
import type { FoundTrigger } from '../routing/trigger.ts';
import { type StoringOptions, storeInLane } from '../triggers/store-in-lane.ts';
import { acceptUncertain, callsBusy, queueFull, switchedOff } from './call-errors.ts';
import { callSettings } from './call-settings.ts';

interface AskedCall {
  /** Of the agent. */
  readonly uid: string;
  /** Whose path was called; undefined for the agent's own address. */
  readonly trigger: FoundTrigger | undefined;
  readonly principal: Principal | undefined;
  readonly idempotencyKey: string | undefined;
  readonly method: string;
  /** As the agent receives them; headers are names and values in turn. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Id of the call; undefined when the address is gone, or does not admit the caller any more. */
export type AcceptCall = (asked: AskedCall) => Promise<string | undefined>;

/** Calls of a workspace that have not ended. Calls that are accepted at the same moment may pass it by a few. */
const maxWaiting = { calls: 10_000, bytes: 256 * 1024 * 1024 };

export const createAcceptCall =
  (options: StoringOptions): AcceptCall =>
  (asked) =>
    storeInLane(options, {
      isStranger: asked.principal === undefined,
      work: (tx) => acceptIn(tx, asked),
      busy: callsBusy,
      uncertain: acceptUncertain,
    });

async function acceptIn(tx: DatabaseTransaction, asked: AskedCall): Promise<string | undefined> {
  const agent = await lockAgent(tx, asked.uid);
  if (agent === undefined) return undefined;
  const isByMember = asked.principal?.memberships.some(({ workspaceId }) => workspaceId === agent.workspaceId) ?? false;
  if (!isOpen(agent.spec, asked.trigger, isByMember)) return undefined;
  if (agent.spec.enabled === false) throw switchedOff;
  await requireRoom(tx, agent.workspaceId, asked.body.length);
  const { triggerId, maxRuns, timeoutSeconds, callback } = callSettings(
    agent.spec,
    asked.trigger?.isAsync ? asked.trigger.triggerId : undefined,
  );
  const messageId = messageOf(asked);
  const made = await tx
    .insertInto('invocations')
    .values({
      ...{ id: uuidv7(), message_id: messageId, is_by_member: isByMember },
      ...{ account_id: agent.accountId, workspace_id: agent.workspaceId, workspace_name: agent.workspace },
      ...{ resource_uid: asked.uid, resource_name: agent.name, trigger_id: triggerId ?? null },
      ...{ key_id: asked.principal?.keyId ?? null, subject: asked.principal?.subject ?? null },
      ...{ method: asked.method, path: asked.path, headers: JSON.stringify(asked.headers) },
      ...{ body: asked.body, body_bytes: asked.body.length, max_runs: maxRuns, timeout_seconds: timeoutSeconds },
      callback: callback === undefined ? null : JSON.stringify(callback),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made?.id ?? knownCall(tx, asked.uid, messageId);
}

interface LockedAgent {
  readonly name: string;
  readonly workspaceId: string;
  readonly workspace: string;
  readonly accountId: string;
  readonly spec: JsonObject;
}

/** Excludes the deletion of the agent. */
async function lockAgent(tx: DatabaseTransaction, uid: string): Promise<LockedAgent | undefined> {
  const { rows } = await sql<LockedAgent>`
    select resources.name, workspaces.id as "workspaceId", workspaces.name as workspace, account_id as "accountId", spec
    from resources join workspaces on workspaces.id = resources.workspace_id
    where resources.uid = ${uid} and resources.kind = 'agent' and ${liveResource('resources')}
    for key share of resources, workspaces`.execute(tx);
  return rows[0];
}

function isOpen(spec: JsonObject, called: FoundTrigger | undefined, isByMember: boolean): boolean {
  if (called === undefined) return isByMember || spec.public === true;
  const trigger = pathTriggersOf('agent', spec).find(
    ({ stored, path }) => stored.id === called.triggerId && path === called.path,
  );
  return trigger?.isEnabled === true && (isByMember || trigger.isPublic);
}

async function requireRoom(tx: DatabaseTransaction, workspaceId: string, bytes: number): Promise<void> {
  const { rows } = await sql<{ calls: number; bytes: number }>`
    select count(*)::int as calls, coalesce(sum(body_bytes), 0)::float8 as bytes from invocations
    where workspace_id = ${workspaceId} and ended_at is null`.execute(tx);
  const [waiting = { calls: 0, bytes: 0 }] = rows;
  if (waiting.calls >= maxWaiting.calls || waiting.bytes + bytes > maxWaiting.bytes) throw queueFull;
}

/** Two callers may use the same Idempotency-Key without knowing of each other. */
const messageOf = ({ idempotencyKey, principal, trigger }: AskedCall): string | null =>
  idempotencyKey === undefined
    ? null
    : `${principal?.subject ?? 'anonymous'}:${trigger?.triggerId ?? ''}:${idempotencyKey}`;

async function knownCall(tx: DatabaseTransaction, uid: string, messageId: string | null): Promise<string> {
  const known = await tx
    .selectFrom('invocations')
    .select('id')
    .where('resource_uid', '=', uid)
    .where('message_id', '=', messageId)
    .executeTakeFirstOrThrow();
  return known.id;
}

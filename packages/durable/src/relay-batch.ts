import type { Database, DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import type { Outgoing } from './message.ts';
import type { RefusedRows } from './refused-rows.ts';
import type { Round, RoundRobin } from './round-robin.ts';
import type { SendFailed } from './send-failed.ts';
import type { Sender } from './sender.ts';

interface OutboxRow {
  readonly id: number;
  readonly topic: string;
  readonly key: string;
  readonly payload: unknown;
  readonly trace: string | null;
  readonly created_at: Date;
  /** By the clock of PostgreSQL. */
  readonly age_ms: number;
  readonly workspace_id: string;
}

interface BatchRules {
  readonly batchSize: number;
  readonly minAgeMs: number;
}

export interface BatchResult {
  /** True when rows may be left that could be sent at once. */
  readonly hasMore: boolean;
  /** Set when the engine is unavailable, or refused more rows than `RefusedRows` holds. */
  readonly outage: SendFailed | undefined;
  /** Ages of the rows that were sent. */
  readonly sentAgesMs: readonly number[];
  /** Age of the oldest row that was not sent, in this batch or the refusals before it. */
  readonly oldestLeftMs: number | undefined;
}

interface RelayMemory {
  readonly refused: RefusedRows;
  readonly roundRobin: RoundRobin;
}

/** Sends the oldest rows of each workspace whose turn it is, up to an equal share for each. */
export function relayBatch(
  database: Database,
  sender: Sender,
  { refused, roundRobin }: RelayMemory,
  rules: BatchRules,
): Promise<BatchResult> {
  return database.transaction().execute(async (tx) => {
    await useIndexes(tx);
    const round = await roundRobin.next(tx, rules.batchSize);
    const rows = await takeRows(tx, round, refused.waiting(Date.now()), rules);
    const results = await sendOnce(sender, rows);
    const sent = rows.filter((_, index) => results[index] === undefined);
    await deleteRows(tx, sent);
    const oldestLeft = rows.find((_, index) => results[index] !== undefined);
    const outage = setRefusedAside(rows, results, refused);
    const ages = [oldestLeft?.age_ms, refused.oldestMs(Date.now())].filter((age) => age !== undefined);
    return {
      hasMore: isMoreLeft(round, rows),
      outage,
      sentAgesMs: sent.map(({ age_ms }) => age_ms),
      oldestLeftMs: ages.length === 0 ? undefined : Math.max(...ages),
    };
  });
}

/**
 * Rows with the same topic, key and payload are sent as one message and share its result: all of them were committed
 * before the send.
 */
async function sendOnce(sender: Sender, rows: readonly OutboxRow[]): Promise<readonly (SendFailed | undefined)[]> {
  const contentOf = ({ topic, key, payload }: OutboxRow): string => JSON.stringify([topic, key, payload]);
  const first = new Map<string, OutboxRow>();
  for (const row of rows) if (!first.has(contentOf(row))) first.set(contentOf(row), row);
  const results = await sender.sendMany([...first.values()].map(toMessage));
  const resultOf = new Map([...first.keys()].map((words, at) => [words, results[at]]));
  return rows.map((row) => resultOf.get(contentOf(row)));
}

/**
 * Forces index plans. The outbox is mostly empty, and a plan cached in that state would read and sort the whole table
 * during a burst. After a burst the estimates are so high that PostgreSQL 15 would JIT-compile the statement, which
 * takes a hundred times as long as running it.
 */
async function useIndexes(tx: DatabaseTransaction): Promise<void> {
  await sql`select set_config(name, 'off', true) from unnest(array['enable_seqscan', 'enable_sort', 'jit']) as name`.execute(
    tx,
  );
}

async function takeRows(
  tx: DatabaseTransaction,
  { workspaces, share }: Round,
  waiting: readonly number[],
  { minAgeMs }: BatchRules,
): Promise<OutboxRow[]> {
  if (workspaces.length === 0) return [];
  const { rows } = await sql<OutboxRow>`
    select id, topic, key, payload, trace, created_at, turn.workspace_id,
      (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as age_ms
    from unnest(${workspaces}::uuid[]) as turn (workspace_id) cross join lateral (
      select id, topic, key, payload, trace, created_at from outbox
      where outbox.workspace_id = turn.workspace_id and id <> all(${waiting}::bigint[])
        and created_at <= clock_timestamp() - make_interval(secs => ${minAgeMs / 1_000})
      order by created_at, id limit ${share} for update skip locked
    ) as oldest`.execute(tx);
  return rows.toSorted((left, right) => left.created_at.getTime() - right.created_at.getTime() || left.id - right.id);
}

function isMoreLeft({ share, hasOthers }: Round, rows: readonly OutboxRow[]): boolean {
  const taken = new Map<string, number>();
  for (const { workspace_id } of rows) taken.set(workspace_id, (taken.get(workspace_id) ?? 0) + 1);
  return hasOthers || [...taken.values()].some((count) => count >= share);
}

const toMessage = ({ id, topic, key, payload, trace, created_at }: OutboxRow): Outgoing => ({
  to: { name: topic },
  key,
  message: payload,
  // The id includes the time: after a restore from a backup, the same ids are assigned to other messages.
  dedupe: `outbox-${id}-${created_at.getTime()}`,
  trace: trace ?? undefined,
});

async function deleteRows(tx: DatabaseTransaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  // Matches the whole key, because `created_at` determines the partition.
  await sql`
    delete from outbox using unnest(
      ${rows.map(({ workspace_id }) => workspace_id)}::uuid[], ${rows.map(({ created_at }) => created_at)}::timestamptz[],
      ${rows.map(({ id }) => id)}::bigint[]
    ) as sent (workspace_id, created_at, id)
    where outbox.workspace_id = sent.workspace_id and outbox.created_at = sent.created_at and outbox.id = sent.id`.execute(
    tx,
  );
}

/** Sets refused rows aside, and returns the failure when the engine is unavailable. */
function setRefusedAside(
  rows: readonly OutboxRow[],
  results: readonly (SendFailed | undefined)[],
  refused: RefusedRows,
): SendFailed | undefined {
  let outage: SendFailed | undefined;
  for (const [index, { id, age_ms }] of rows.entries()) {
    const failure = results[index];
    if (failure === undefined) refused.remove(id);
    else if (!failure.isRefusal || !refused.add(id, Date.now(), age_ms)) outage = failure;
  }
  return outage;
}

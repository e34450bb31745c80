import type { Database, DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import type { Outgoing } from './message.ts';
import type { RestingRows } from './resting-rows.ts';
import type { SendFailed } from './send-failed.ts';
import type { Sender } from './sender.ts';

interface OutboxRow {
  readonly id: number;
  readonly topic: string;
  readonly key: string;
  readonly payload: unknown;
  readonly trace: string | null;
  readonly created_at: Date;
}

interface BatchRules {
  readonly batchSize: number;
  readonly minAgeMs: number;
}

export interface BatchResult {
  readonly taken: number;
  /** Why the engine took nothing more. */
  readonly away: SendFailed | undefined;
}

/** Oldest first, by the primary key. */
export function relayBatch(
  database: Database,
  sender: Sender,
  resting: RestingRows,
  rules: BatchRules,
): Promise<BatchResult> {
  return database.transaction().execute(async (tx) => {
    const rows = await takeRows(tx, resting.asleep(Date.now()), rules);
    const results = await sendOnce(sender, rows);
    await deleteRows(
      tx,
      rows.filter((_, index) => results[index] === undefined),
    );
    return { taken: rows.length, away: settle(rows, results, resting) };
  });
}

/** Those that say the same are one message, and share what becomes of it: all of them were committed before it is sent. */
async function sendOnce(sender: Sender, rows: readonly OutboxRow[]): Promise<readonly (SendFailed | undefined)[]> {
  const wordsOf = ({ topic, key, payload }: OutboxRow): string => JSON.stringify([topic, key, payload]);
  const first = new Map<string, OutboxRow>();
  for (const row of rows) if (!first.has(wordsOf(row))) first.set(wordsOf(row), row);
  const results = await sender.sendMany([...first.values()].map(toMessage));
  const resultOf = new Map([...first.keys()].map((words, at) => [words, results[at]]));
  return rows.map((row) => resultOf.get(wordsOf(row)));
}

async function takeRows(
  tx: DatabaseTransaction,
  asleep: readonly number[],
  { batchSize, minAgeMs }: BatchRules,
): Promise<OutboxRow[]> {
  const { rows } = await sql<OutboxRow>`
    select id, topic, key, payload, trace, created_at from outbox
    where id <> all(${asleep}::bigint[]) and created_at <= clock_timestamp() - make_interval(secs => ${minAgeMs / 1_000})
    order by created_at, id limit ${batchSize} for update skip locked`.execute(tx);
  return rows;
}

const toMessage = ({ id, topic, key, payload, trace, created_at }: OutboxRow): Outgoing => ({
  to: { name: topic },
  key,
  message: payload,
  // With its time: after a restore from a backup the same ids come again for other messages.
  dedupe: `outbox-${id}-${created_at.getTime()}`,
  trace: trace ?? undefined,
});

async function deleteRows(tx: DatabaseTransaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  // By the time too: without it every partition would be searched.
  await sql`
    delete from outbox using unnest(
      ${rows.map(({ created_at }) => created_at)}::timestamptz[], ${rows.map(({ id }) => id)}::bigint[]
    ) as sent (created_at, id)
    where outbox.created_at = sent.created_at and outbox.id = sent.id`.execute(tx);
}

/** A refused message rests, the engine being away is told to the caller. */
function settle(
  rows: readonly OutboxRow[],
  results: readonly (SendFailed | undefined)[],
  resting: RestingRows,
): SendFailed | undefined {
  let away: SendFailed | undefined;
  for (const [index, { id }] of rows.entries()) {
    const failure = results[index];
    if (failure === undefined) resting.remove(id);
    else if (!failure.isRefusal || !resting.add(id, Date.now())) away = failure;
  }
  return away;
}

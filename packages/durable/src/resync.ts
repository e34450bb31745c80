// The engine may lose all its data. Unfinished work is recorded in the database, and is sent again from there.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@berth/concurrency';
import type { Database } from '@berth/database';
import type { MessageType, Outgoing } from './message.ts';
import type { Sender } from './sender.ts';

export interface UnfinishedWork<Message> {
  readonly key: string;
  readonly message: Message;
  readonly delayMs?: number | undefined;
}

/** Lists the unfinished work of one feature. */
export interface ResyncSource<Message = unknown> {
  readonly to: MessageType<Message>;
  /** The next rows by key, in a fixed order, strictly after `after`; fewer than `limit` ends the walk. */
  page(database: Database, after: string | undefined, limit: number): Promise<readonly UnfinishedWork<Message>[]>;
}

export interface ResyncOptions {
  readonly database: Database;
  readonly sender: Sender;
  readonly sources: readonly ResyncSource[];
  /** Passed again after an interruption, it keeps messages sent before the interruption from being handled twice. */
  readonly id?: string;
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

const attempts = 8;

export function defineResyncSource<Message>(source: ResyncSource<Message>): ResyncSource<Message> {
  return source;
}

/** Returns how many messages were sent. Harmless at any time: a handler that finds nothing to do returns. */
export async function resync(options: ResyncOptions): Promise<number> {
  const { id = randomUUID(), sources } = options;
  let sent = 0;
  for (const source of sources) sent += await resyncSource(source, id, options);
  return sent;
}

async function resyncSource(source: ResyncSource, id: string, options: ResyncOptions): Promise<number> {
  const { database, sender, pageSize = 500, signal } = options;
  let after: string | undefined;
  for (let sent = 0; ; ) {
    signal?.throwIfAborted();
    const page = await source.page(database, after, pageSize);
    await sendPage(
      sender,
      page.map(({ key, message, delayMs }) => ({ to: source.to, key, message, delayMs, dedupe: `resync-${id}` })),
      signal,
    );
    sent += page.length;
    after = page.at(-1)?.key;
    if (page.length < pageSize) return sent;
  }
}

async function sendPage(sender: Sender, page: readonly Outgoing[], signal: AbortSignal | undefined): Promise<void> {
  let waiting = page;
  for (let failures = 1; ; failures += 1) {
    const results = await sender.sendMany(waiting);
    const [failure] = results.filter((result) => result !== undefined);
    if (failure === undefined) return;
    if (failures >= attempts) throw failure;
    waiting = waiting.filter((_, index) => results[index] !== undefined);
    await sleep(backoffMs(failures, 100, 5_000, Math.random), undefined, { ...(signal && { signal }) });
  }
}

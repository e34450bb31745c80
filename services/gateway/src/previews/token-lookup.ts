// Looks up preview tokens that are not cached with their preview: either created a moment ago, or invented.

import { answerInTime, BoundedMap } from '@berth/concurrency';
import { type BatchLaneOptions, createBatchLane, type Database, laneFull } from '@berth/database';
import { queryTokens } from '../routing/preview-query.ts';

export interface TokenLookupOptions {
  readonly database: Database;
  readonly lane: BatchLaneOptions;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/**
 * A negative result can be cached: a token cannot be known before it is created, so a wrong token stays wrong. A short
 * time keeps the cache small.
 */
const missingMs = 10_000;
const maxMissing = 10_000;

/**
 * Remaining validity of a preview token in milliseconds; undefined when there is no such token. Rejects with LaneFull
 * when too many lookups are waiting.
 */
export type TokenLookup = (previewUid: string, hash: Buffer) => Promise<number | undefined>;

export function createTokenLookup({ database, lane, now = () => performance.now() }: TokenLookupOptions): TokenLookup {
  const strangers = createBatchLane((asked: Parameters<typeof queryTokens>[1]) => queryTokens(database, asked), lane);
  const missingUntil = new BoundedMap<number>(maxMissing);
  return async (previewUid, hash) => {
    const id = `${previewUid}/${hash.toString('base64')}`;
    if (now() < (missingUntil.get(id) ?? Number.NEGATIVE_INFINITY)) return undefined;
    if (strangers.isFull) throw laneFull;
    const endsInMs = await answerInTime(strangers.ask({ previewUid, hash }), { hasStandIn: false });
    if (endsInMs === undefined) missingUntil.set(id, now() + missingMs);
    return endsInMs;
  };
}

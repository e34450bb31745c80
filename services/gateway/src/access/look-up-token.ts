// Preview tokens that are not among those read with their preview: just made, or invented.
import { answerInTime, type BatchLaneOptions, createBatchLane, type Database, laneFull } from '@berth/database';
import { BoundedMap } from '@berth/identity';
import { queryTokens } from '../routing/preview-query.ts';

export interface TokenLookUpOptions {
  readonly database: Database;
  readonly lane: BatchLaneOptions;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/** No token can be asked for before it is made, so a wrong one stays wrong; a short memory of it needs little room. */
const missingMs = 10_000;
const maxMissing = 10_000;

/** How long a token of a preview still counts; undefined when there is no such token. Rejects with LaneFull when too many ask. */
export type LookUpToken = (previewUid: string, hash: Buffer) => Promise<number | undefined>;

export function createTokenLookUp({ database, lane, now = () => performance.now() }: TokenLookUpOptions): LookUpToken {
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

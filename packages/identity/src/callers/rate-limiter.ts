// Token buckets: a caller may send `burst` requests at once and `perSecond` in the long run. Buckets are in the memory
// of one process, so several processes together allow several times as much.
import { BoundedMap } from '@berth/concurrency';

export interface Rate {
  /** 0 sets no limit. */
  readonly perSecond: number;
  readonly burst: number;
}

export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * Takes a token for one request; a caller without a bucket starts with a full one. `waitMs` is 0 when the request may
 * pass, otherwise the time until the next token.
 */
export function takeToken(
  bucket: Bucket | undefined,
  { perSecond, burst }: Rate,
  nowMs: number,
): { readonly bucket: Bucket; readonly waitMs: number } {
  const added = bucket === undefined ? burst : ((nowMs - bucket.atMs) / 1_000) * perSecond;
  const tokens = Math.min(burst, (bucket?.tokens ?? 0) + added);
  if (tokens < 1) return { bucket: { tokens, atMs: nowMs }, waitMs: ((1 - tokens) / perSecond) * 1_000 };
  return { bucket: { tokens: tokens - 1, atMs: nowMs }, waitMs: 0 };
}

export interface RateLimiter {
  /** Undefined when the request may pass, otherwise the seconds until a request may pass. */
  retryAfterSeconds(caller: string): number | undefined;
}

/** The least recently seen caller is evicted first, and starts again with a full bucket. */
const maxCallers = 20_000;

export function createRateLimiter(rate: Rate, now: () => number = () => performance.now()): RateLimiter {
  const buckets = new BoundedMap<Bucket>(maxCallers);
  return {
    retryAfterSeconds(caller) {
      if (rate.perSecond === 0) return undefined;
      const { bucket, waitMs } = takeToken(buckets.get(caller), rate, now());
      buckets.set(caller, bucket);
      return waitMs === 0 ? undefined : waitMs / 1_000;
    },
  };
}

// Token buckets: a caller may send `burst` requests at once and `perSecond` in the long run. They live in the memory of one process,
// so several processes together allow as many times more.
import { BoundedMap } from './bounded-map.ts';

export interface Rate {
  /** 0 sets no limit. */
  readonly perSecond: number;
  readonly burst: number;
}

export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Takes one request out of a bucket; who never called has a full one. `waitMs` is how long the next one has to wait, 0 if it may pass. */
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
  /** Undefined when the request may pass, otherwise after how many seconds one may. */
  retryAfterSeconds(caller: string): number | undefined;
}

/** Who called longest ago is forgotten first, and begins anew with a full bucket. */
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

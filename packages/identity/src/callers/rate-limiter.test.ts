import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bucket, createRateLimiter, takeToken } from './rate-limiter.ts';

test('a caller may send a burst at once, then requests at its rate, and a refusal says when to retry', () => {
  let clock = 0;
  const limiter = createRateLimiter({ perSecond: 2, burst: 3 }, () => clock);
  const send = () => limiter.retryAfterSeconds('a');
  expect([send(), send(), send(), send()]).toEqual([undefined, undefined, undefined, 0.5]);
  expect(limiter.retryAfterSeconds('b')).toBeUndefined();
  clock = 499;
  expect(send()).toBeCloseTo(0.001);
  clock = 500;
  expect([send(), send()]).toEqual([undefined, 0.5]);
  clock = 60_000;
  expect([send(), send(), send(), send()]).toEqual([undefined, undefined, undefined, 0.5]);
});

test('a rate of 0 sets no limit', () => {
  const limiter = createRateLimiter({ perSecond: 0, burst: 1 }, () => 0);
  for (let sent = 0; sent < 1_000; sent += 1) expect(limiter.retryAfterSeconds('a')).toBeUndefined();
});

test('in any span of time at most the burst and the tokens added meanwhile pass', () => {
  const rate = { perSecond: 10, burst: 5 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 }), (pauses) => {
      let bucket: Bucket | undefined;
      let clock = 0;
      let passed = 0;
      for (const pause of pauses) {
        clock += pause;
        const taken = takeToken(bucket, rate, clock);
        bucket = taken.bucket;
        if (taken.waitMs === 0) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(rate.burst + (clock / 1_000) * rate.perSecond + 1e-6);
    }),
  );
});

import { bytesPerMb } from '@berth/contract';
import { expect, test } from 'vitest';
import { createLargeBodies, largeBodyBytes } from './large-bodies.ts';

test('a large body waits for the time that earlier ones of its account count for; a wait that is too long is refused, and other accounts are not affected', async () => {
  let nowMs = 0;
  const waits: number[] = [];
  const bodies = createLargeBodies({ mbPerSecond: 10, now: () => nowMs, wait: async (ms) => void waits.push(ms) });
  await bodies.turn('a', 30 * bytesPerMb);
  await bodies.turn('a', 30 * bytesPerMb);
  expect(waits).toEqual([3_000]);
  const refused = bodies.turn('a', 2 * bytesPerMb);
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited', details: { retryAfterSeconds: 6 } });
  await expect(refused).rejects.toThrow(/faster than 10 MB per second.*api\.largeBodyMbPerSecond/);
  await bodies.turn('b', 30 * bytesPerMb);
  nowMs = 1_000;
  // A refused body does not count against the rate.
  await bodies.turn('a', 2 * bytesPerMb);
  expect(waits).toEqual([3_000, 5_000]);
});

test('a body above the usual limit is large, and a body without a length counts with the limit of its operation', () => {
  const operation = { bodyLimitBytes: 32 };
  expect([undefined, '1', '2', '32', '33'].map((length) => largeBodyBytes(operation, length, 1))).toEqual([
    32,
    undefined,
    2,
    32,
    undefined,
  ]);
  expect(largeBodyBytes({}, '1000', 1)).toBeUndefined();
});

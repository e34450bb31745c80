import { expect, test } from 'vitest';
import { maxAttempts, pauseAfterMs } from './schedule.ts';

const seconds = [5, 30, 120, 600, 3_600, 10_800, 28_800, 43_200];

test('a delivery is tried at once and 8 times more, over about a day', () => {
  const pauses = seconds.map((_, index) => pauseAfterMs(index + 1, () => 0));
  expect(pauses).toEqual(seconds.map((each) => each * 1_000));
  expect(maxAttempts).toBe(9);
  expect(pauseAfterMs(maxAttempts, () => 0)).toBeUndefined();
});

test('a pause is never shorter than planned and at most a fifth longer', () => {
  for (const [index, each] of seconds.entries()) {
    expect(pauseAfterMs(index + 1, () => 0.999_999)).toBeLessThanOrEqual(each * 1_200);
    expect(pauseAfterMs(index + 1, () => 0.5)).toBe(each * 1_100);
  }
});

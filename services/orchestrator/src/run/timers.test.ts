import { expect, test } from 'vitest';
import { timersFor } from './timers.ts';

const at = (now: number, ...dueAt: number[]) => timersFor({ hasUnplaced: false, dueAt }, 'uid', now);

test('two moments in the same second get two timers', () => {
  const [first, second] = at(1_000, 4_300, 4_900);
  expect(first?.id).not.toBe(second?.id);
  expect(second?.delayMs).toBeGreaterThan(3_900);
});

test('runs within the same five seconds set one timer, later runs set another', () => {
  expect(at(1_000, 60_000)[0]?.id).toBe(at(4_999, 60_000)[0]?.id);
  expect(at(1_000, 60_000)[0]?.id).not.toBe(at(5_000, 60_000)[0]?.id);
});

test('a timer far in the future is set once, and again when it fired too early', () => {
  expect(at(1_000, 3_600_000)[0]?.id).toBe(at(1_800_000, 3_600_000)[0]?.id);
  expect(at(3_599_990, 3_600_000)[0]?.id).not.toBe(at(1_000, 3_600_000)[0]?.id);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Timeouts } from '../workloads/workload-kind.ts';
import { startRequestTimer } from './request-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Times at which `onEnd` was called, with a byte every `everyMs` until `untilMs`. */
function endedAtMs(timeouts: Timeouts, moves: { everyMs: number; untilMs: number }): number[] {
  const startedAt = performance.now();
  const ends: number[] = [];
  const timer = startRequestTimer(timeouts, () => ends.push(performance.now() - startedAt));
  const moving = setInterval(() => timer.touch(), moves.everyMs);
  setTimeout(() => clearInterval(moving), moves.untilMs);
  vi.advanceTimersByTime(100_000);
  return ends;
}

test('the timer ends after silence, counted from the last byte', () => {
  const timeouts = { totalMs: undefined, silentMs: 1_000 };
  expect(endedAtMs(timeouts, { everyMs: 1_500, untilMs: 0 })).toEqual([1_000]);
  expect(endedAtMs(timeouts, { everyMs: 900, untilMs: 50_000 })).toEqual([49_500 + 1_000]);
});

test('the timer ends after the total time, however many bytes move', () => {
  expect(endedAtMs({ totalMs: 5_000, silentMs: 1_000 }, { everyMs: 500, untilMs: 50_000 })).toEqual([5_000]);
});

test('a stopped timer never ends', () => {
  const onEnd = vi.fn();
  startRequestTimer({ totalMs: 5_000, silentMs: 1_000 }, onEnd).stop();
  vi.advanceTimersByTime(100_000);
  expect(onEnd).not.toHaveBeenCalled();
});

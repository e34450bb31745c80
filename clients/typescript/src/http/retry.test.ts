import { describe, expect, test } from 'vitest';
import { pauseBeforeRetry } from './retry.ts';

const failure = (status: number | undefined, more: { notDispatched?: boolean; retryAfterMs?: number } = {}) => ({
  ...{ status, notDispatched: false, retryAfterMs: undefined },
  ...more,
});
const repeatable = { maxTries: 4, isRepeatable: true };
const once = { maxTries: 4, isRepeatable: false };

describe('a request is sent again', () => {
  test.each([undefined, 408, 429, 502, 503, 504])('after %s where it is repeatable', (status) => {
    expect(pauseBeforeRetry(failure(status), 1, repeatable, 1)).toBe(250);
    expect(pauseBeforeRetry(failure(status), 1, once, 1)).toBeUndefined();
  });

  test.each([400, 401, 404, 409, 422, 500])('never after %s', (status) => {
    expect(pauseBeforeRetry(failure(status), 1, repeatable, 1)).toBeUndefined();
  });

  test('where nothing has reached the workload, whatever it does', () => {
    expect(pauseBeforeRetry(failure(503, { notDispatched: true }), 1, once, 1)).toBe(250);
  });

  test('at most as often as allowed, with growing pauses', () => {
    const pauses = [1, 2, 3, 4].map((tries) => pauseBeforeRetry(failure(503), tries, repeatable, 1));
    expect(pauses).toEqual([250, 500, 1_000, undefined]);
    expect(pauseBeforeRetry(failure(503), 1, repeatable, 0)).toBe(125);
  });

  test('not before the service wants it, and not where that is too far off', () => {
    expect(pauseBeforeRetry(failure(429, { retryAfterMs: 3_000 }), 1, repeatable, 0)).toBe(3_000);
    expect(pauseBeforeRetry(failure(429, { retryAfterMs: 60_000 }), 1, repeatable, 0)).toBeUndefined();
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { progressOf } from './progress.ts';

const startedAt = Date.UTC(2030, 0, 1);
const row = {
  status: 'running',
  task_count: 100,
  succeeded: 20,
  failed: 5,
  cancelled: 0,
  started_at: new Date(startedAt),
};

test('an execution with a quarter of its tasks ended needs three times as long again', () => {
  expect(progressOf(row, startedAt + 60_000)).toEqual({
    tasksPerMinute: 25,
    expectedEndAt: new Date(startedAt + 240_000).toISOString(),
  });
});

test('the rate has one decimal, so that slow executions show one too', () => {
  expect(progressOf({ ...row, succeeded: 1, failed: 0 }, startedAt + 180_000)?.tasksPerMinute).toBe(0.3);
});

test('cancelled tasks are not waited for', () => {
  const { expectedEndAt } = progressOf({ ...row, cancelled: 50 }, startedAt + 60_000) ?? {};
  expect(expectedEndAt).toBe(new Date(startedAt + 120_000).toISOString());
});

test.each([
  ['no task has ended', { succeeded: 0, failed: 0 }],
  ['no task is left', { succeeded: 95 }],
  ['it has not started', { started_at: null }],
  ...['queued', 'pending', 'cancelling', 'cancelled', 'failed', 'succeeded', 'timeout'].map(
    (status): [string, object] => [`it is ${status}`, { status }],
  ),
])('an execution shows neither rate nor end when %s', (_, change) => {
  expect(progressOf({ ...row, ...change }, startedAt + 60_000)).toBeUndefined();
});

test('the expected end is never in the past, also when the clock of the database is ahead', () => {
  const tasks = fc.integer({ min: 1, max: 100_000 });
  const offsetMs = fc.integer({ min: -10_000, max: 11 * 86_400_000 });
  fc.assert(
    fc.property(tasks, tasks, offsetMs, (ended, left, ms) => {
      const now = startedAt + ms;
      const progress = progressOf({ ...row, task_count: ended + left, succeeded: ended, failed: 0 }, now);
      expect(progress?.tasksPerMinute).toBeGreaterThanOrEqual(0);
      expect(Date.parse(progress?.expectedEndAt ?? '')).toBeGreaterThanOrEqual(now);
    }),
  );
});

import { expect, test } from 'vitest';
import { type Progress, statusSteps } from './status-steps.ts';

const progress = (
  status: string,
  counters: Partial<Progress['counters']>,
  changes: Partial<Progress> = {},
): Progress => ({
  status,
  taskCount: 3,
  counters: { active: 0, succeeded: 0, failed: 0, cancelled: 0, retried: 0, ...counters },
  hasStarted: true,
  hasOnlyTimeouts: false,
  ...changes,
});
const statuses = (given: Progress): string[] => statusSteps(given).map(({ status }) => status);

test.each<[string, Progress, string[]]>([
  ['nothing has started', progress('pending', { active: 2 }, { hasStarted: false }), []],
  ['the first task has started', progress('pending', { active: 2 }), ['running']],
  ['a later task has started', progress('running', { active: 2 }), []],
  ['tasks wait', progress('running', { succeeded: 2 }), []],
  ['the last task succeeded', progress('running', { succeeded: 3 }), ['succeeded']],
  ['all tasks ended at once', progress('pending', { succeeded: 3 }), ['running', 'succeeded']],
  ['one task failed', progress('running', { succeeded: 2, failed: 1 }), ['failed']],
  [
    'tasks failed by timeout only',
    progress('running', { succeeded: 1, failed: 2 }, { hasOnlyTimeouts: true }),
    ['timeout'],
  ],
  ['no task can run', progress('queued', { failed: 3 }, { hasStarted: false }), ['pending', 'running', 'failed']],
  ['it is cancelled and a task runs', progress('cancelling', { active: 1, cancelled: 2 }), []],
  ['it is cancelled and tasks wait', progress('cancelling', { cancelled: 2 }), []],
  [
    'it is cancelled and nothing runs',
    progress('cancelling', { succeeded: 1, failed: 1, cancelled: 1 }),
    ['cancelled'],
  ],
  ['it has ended', progress('succeeded', { succeeded: 3 }), []],
])('when %s', (_what, given, expected) => {
  expect(statuses(given)).toEqual(expected);
});

test('the event of a failure counts the failed tasks', () => {
  expect(statusSteps(progress('running', { succeeded: 2, failed: 1 }))[0]?.message).toBe(
    '1 of 3 tasks failed after their retries.',
  );
});

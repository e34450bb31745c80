import { taskEndReasons } from '@berth/contract/node';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { World } from '../../test/executions/world-fixture.ts';
import { type AttemptResult, judgeAttempt, maxLosses, retryPauseMs } from './judge-attempt.ts';
import { type ObservedAttempt, settle } from './settle.ts';

type Step = (world: World) => void;
const pick = fc.nat({ max: 1_000 });
const results: fc.Arbitrary<AttemptResult | undefined> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ reason: 'exited' as const, exitCode: 0 }) },
  { weight: 2, arbitrary: fc.constant({ reason: 'exited' as const, exitCode: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom(...taskEndReasons).map((reason) => ({ reason, exitCode: 1 })) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: pick.map((which) => (world: World) => world.place(which)) },
  { weight: 3, arbitrary: pick.map((which) => (world: World) => world.start(which)) },
  {
    weight: 4,
    arbitrary: fc.tuple(pick, results).map(
      ([which, result]) =>
        (world: World) =>
          world.end(which, result),
    ),
  },
  { weight: 4, arbitrary: fc.nat({ max: 3 }).map((limit) => (world: World) => world.settle(limit)) },
  { weight: 1, arbitrary: pick.map((which) => (world: World) => world.settleAgain(which)) },
  { weight: 2, arbitrary: fc.nat({ max: 90_000 }).map((ms) => (world: World) => world.wait(ms)) },
  { weight: 1, arbitrary: fc.constant((world: World) => world.askCancel()) },
);

test('whatever the order, each task ends in one final state, the counters equal the tasks, and no rule of retries is broken', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(steps, { maxLength: 120 }),
      fc.infiniteStream(results),
      (taskCount, maxRetries, parallelism, some, endings) => {
        const world = new World({ taskCount, maxRetries, parallelism });
        for (const step of some) {
          step(world);
          world.check();
        }
        world.finish(() => endings.next().value);
        world.check();
        world.checkEnd();
      },
    ),
    // A failure prints its seed.
    { numRuns: 500 },
  );
});

const attempt = (changes: Partial<ObservedAttempt> = {}): ObservedAttempt => ({
  id: 'i-1',
  taskIndex: 0,
  attempt: 1,
  isOver: true,
  result: { reason: 'exited', exitCode: 0 },
  startedAt: 1_000,
  finishedAt: 3_000,
  task: { status: 'running', attempt: 1, failures: 0, losses: 0 },
  ...changes,
});
const execution = {
  status: 'running',
  maxRetries: 1,
  taskCount: 3,
  counters: { active: 1, succeeded: 1, failed: 0, cancelled: 0, retried: 0 },
};

test('a task that ended before its start was seen has the times of its process', () => {
  const { tasks, settled, counters } = settle(
    execution,
    [attempt({ task: { status: 'reconciling', attempt: 1, failures: 0, losses: 0 } })],
    9_000,
  );
  expect(tasks).toMatchObject([{ index: 0, status: 'succeeded', exitCode: 0, startedAt: 1_000, completedAt: 3_000 }]);
  expect([settled, counters]).toEqual([['i-1'], { active: 0, succeeded: 2, failed: 0, cancelled: 0, retried: 0 }]);
});

test('an attempt whose process runs makes its task running, and is not settled', () => {
  const starting = attempt({
    isOver: false,
    result: undefined,
    task: { status: 'reconciling', attempt: 1, failures: 0, losses: 0 },
  });
  const { tasks, settled, counters } = settle(execution, [starting], 9_000);
  expect(tasks).toMatchObject([{ status: 'running', startedAt: 1_000 }]);
  expect([settled, counters]).toEqual([[], execution.counters]);
});

test.each([
  ['an older attempt', { status: 'running', attempt: 2, failures: 1, losses: 0 }],
  ['an attempt of a cancelled task', { status: 'cancelled', attempt: 1, failures: 0, losses: 0 }],
  ['an attempt of a task that waits again', { status: 'pending', attempt: 1, failures: 1, losses: 0 }],
])('the end of %s is settled and changes nothing', (_which, task) => {
  const { tasks, settled, counters } = settle(execution, [attempt({ task })], 9_000);
  expect([tasks, settled, counters]).toEqual([[], ['i-1'], execution.counters]);
});

const rules = { maxRetries: 2, isCancelling: false };
const fresh = { failures: 0, losses: 0 };

test.each(['exited', 'timeout', 'out_of_memory', 'disk_full', 'start_failed'] as const)(
  '%s is the task’s own fault: repeated at most maxRetries times',
  (reason) => {
    const result = { reason, exitCode: 1 };
    expect(judgeAttempt(result, { failures: 1, losses: 4 }, rules)).toMatchObject({
      status: 'pending',
      isRetried: true,
      failures: 2,
    });
    expect(judgeAttempt(result, { failures: 2, losses: 0 }, rules)).toMatchObject({ status: 'failed', reason });
    expect(judgeAttempt(result, fresh, { ...rules, isCancelling: true })).toMatchObject({ status: 'failed', reason });
  },
);

test.each(['lost', 'image_unavailable'] as const)(
  '%s is not the task’s fault: repeated at most five times, without counting as a retry',
  (reason) => {
    const none = { ...rules, maxRetries: 0 };
    expect(judgeAttempt({ reason }, { failures: 0, losses: maxLosses - 1 }, none)).toMatchObject({
      status: 'pending',
      isRetried: false,
      losses: maxLosses,
    });
    expect(judgeAttempt({ reason }, { failures: 0, losses: maxLosses }, none)).toMatchObject({
      status: 'failed',
      reason,
    });
    expect(judgeAttempt({ reason }, fresh, { ...none, isCancelling: true })).toMatchObject({ status: 'cancelled' });
  },
);

test.each(['image_missing', 'image_refused'] as const)('%s is final at once', (reason) => {
  expect(judgeAttempt({ reason }, fresh, rules)).toMatchObject({ status: 'failed', reason, isRetried: false });
});

test('the pause before a retry is 1 s, doubled with each, at most 60 s', () => {
  const pauses = [1, 2, 3, 6, 7, 50].map((failures) => retryPauseMs({ failures, losses: 0 }));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
  expect(retryPauseMs({ failures: 1, losses: 2 })).toBe(4_000);
});

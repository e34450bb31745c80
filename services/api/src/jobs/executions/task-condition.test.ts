import { jobTaskStatuses } from '@berth/contract';
import { taskEndReasons } from '@berth/contract/node';
import { describe, expect, test } from 'vitest';
import { taskCondition } from './task-condition.ts';

type Task = Parameters<typeof taskCondition>[0];

const task = (more: Partial<Task>): Task => ({
  status: 'pending',
  failures: 0,
  losses: 0,
  reason: null,
  exit_code: null,
  message: null,
  ...more,
});

test.each([
  ['pending', 'Scheduled', 'false', 'Waiting'],
  ['reconciling', 'Scheduled', 'true', 'Starting'],
  ['running', 'Started', 'true', 'Running'],
  ['cancelled', 'Completed', 'false', 'Cancelled'],
  ['unspecified', 'Scheduled', 'unknown', 'Unknown'],
])('a task that is %s and has no settled attempt says so', (status, type, state, reason) => {
  expect(taskCondition(task({ status }))).toMatchObject({
    type,
    state,
    reason,
    executionReason: '',
    severity: 'info',
    message: expect.stringMatching(/\.$/),
  });
});

test('a task that succeeded names its exit code, whatever an earlier attempt ended with', () => {
  expect(taskCondition(task({ status: 'succeeded', failures: 1, reason: 'timeout' }))).toEqual({
    type: 'Completed',
    state: 'true',
    reason: 'Succeeded',
    executionReason: 'ExitCode',
    message: 'Ended with exit code 0.',
    severity: 'info',
  });
});

describe('a task that failed', () => {
  test.each([
    ['exited', 'ExitCode'],
    ['timeout', 'Timeout'],
    ['out_of_memory', 'OutOfMemory'],
    ['disk_full', 'DiskFull'],
    ['image_missing', 'ImageMissing'],
    ['image_refused', 'ImageRefused'],
    ['image_unavailable', 'ImageUnavailable'],
    ['start_failed', 'StartFailed'],
    ['lost', 'Lost'],
  ])('by %s has the reason %s', (reason, shown) => {
    expect(taskEndReasons).toContain(reason);
    expect(taskCondition(task({ status: 'failed', failures: 1, reason }))).toMatchObject({
      type: 'Completed',
      state: 'false',
      reason: shown,
      executionReason: shown,
      severity: 'error',
    });
  });

  test('by its exit code names the code', () => {
    const { message } = taskCondition(task({ status: 'failed', reason: 'exited', exit_code: 3 }));
    expect(message).toBe('Ended with exit code 3.');
  });

  test('shows the text of its runner where there is one', () => {
    const { message } = taskCondition(
      task({ status: 'failed', reason: 'exited', exit_code: 3, message: 'no such file' }),
    );
    expect(message).toBe('no such file');
  });
});

describe('a task that waits for its next attempt', () => {
  test('names the number of failed attempts and the reason of the last', () => {
    const waiting = taskCondition(task({ failures: 1, losses: 1, reason: 'exited', exit_code: 7 }));
    expect(waiting).toMatchObject({
      type: 'Scheduled',
      state: 'false',
      reason: 'Retrying',
      executionReason: 'ExitCode',
    });
    expect(waiting.message).toBe(
      'Waits for its next attempt. 2 attempts have failed, the last with ExitCode: Ended with exit code 7.',
    );
  });

  test('counts a lost machine as a failed attempt', () => {
    expect(taskCondition(task({ losses: 1, reason: 'lost' })).message).toContain(
      '1 attempt has failed, the last with Lost',
    );
  });
});

test('the text of an earlier attempt is not shown once the next one is under way or cancelled', () => {
  for (const status of ['reconciling', 'running', 'cancelled'])
    expect(taskCondition(task({ status, failures: 1, reason: 'exited', message: 'old' })).message).not.toContain('old');
});

test('every status and every reason gives a condition of six texts', () => {
  for (const status of jobTaskStatuses)
    for (const reason of [...taskEndReasons, null, 'from a newer release']) {
      const condition = taskCondition(task({ status, failures: 1, reason }));
      expect(Object.values(condition).map((value) => typeof value)).toEqual(Array(6).fill('string'));
      expect(condition.message).not.toMatch(/[{}]/);
    }
});

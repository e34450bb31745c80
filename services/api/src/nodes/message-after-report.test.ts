import { instanceStates } from '@berth/contract/node';
import { describe, expect, test } from 'vitest';
import { messageAfter, type PreviousState } from './message-after-report.ts';

const before = (more: Partial<PreviousState> = {}): PreviousState => ({
  executionId: null,
  resourceUid: 'resource',
  workspaceId: 'workspace',
  state: 'placed',
  message: null,
  wasExpired: false,
  hadResult: false,
  ...more,
});
const report = (state: (typeof instanceStates)[number], message?: string) => ({
  instance: 'i',
  sequence: 1,
  state,
  starts: 1,
  ...(message === undefined ? {} : { message }),
});

describe('an attempt', () => {
  const attempt = (more: Partial<PreviousState> = {}) => before({ executionId: 'execution', ...more });

  test.each([
    ['placed', 'pulling', false],
    ['placed', 'starting', false],
    ['placed', 'ready', true],
    ['ready', 'ready', false],
    ['placed', 'ended', true],
    ['ready', 'ended', true],
    ['starting', 'gone', true],
  ] as const)('that is %s and then %s is sent to its execution: %s', (state, reported, isSent) => {
    const message = { topic: 'execution', key: 'execution', workspaceId: 'workspace' };
    expect(messageAfter(attempt({ state }), report(reported))).toEqual(isSent ? message : undefined);
  });

  test('with a recorded result is not sent again, not even when it is removed', () => {
    for (const state of instanceStates)
      expect(messageAfter(attempt({ state: 'ended', hadResult: true }), report(state))).toBeUndefined();
  });

  test('never causes a reconcile, not even with a message for the user', () => {
    for (const state of instanceStates)
      expect(messageAfter(attempt(), report(state, 'Pulls its image.'))?.topic).not.toBe('reconcile');
  });
});

test('an instance of a resource causes a reconcile when its state changes, and a message of its start does too', () => {
  const reconcile = { topic: 'reconcile', key: 'resource', workspaceId: 'workspace' };
  expect(messageAfter(before(), report('ready'))).toEqual(reconcile);
  expect(messageAfter(before(), report('pulling', 'The registry is slow.'))).toEqual(reconcile);
  expect(messageAfter(before(), report('pulling'))).toBeUndefined();
  expect(messageAfter(before({ resourceUid: null, workspaceId: null }), report('failed'))).toBeUndefined();
});

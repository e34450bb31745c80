import { jobExecutionStatuses } from '@berth/contract';
import { expect, test } from 'vitest';
import { type ExecutionEvent, nextStatus, transitions } from './transitions.ts';

// Every status against every event; `-` means that the status does not change.
const events: readonly ExecutionEvent[] = [
  'admitted',
  'firstTaskStarted',
  'allTasksSucceeded',
  'taskFailed',
  'timeoutPassed',
  'cancelAsked',
  'drained',
];
const expected: Readonly<Record<(typeof jobExecutionStatuses)[number], readonly string[]>> = {
  queued: ['pending', '-', '-', '-', '-', 'cancelling', '-'],
  pending: ['-', 'running', '-', '-', '-', 'cancelling', '-'],
  running: ['-', '-', 'succeeded', 'failed', 'timeout', 'cancelling', '-'],
  cancelling: ['-', '-', '-', '-', '-', '-', 'cancelled'],
  cancelled: ['-', '-', '-', '-', '-', '-', '-'],
  failed: ['-', '-', '-', '-', '-', '-', '-'],
  succeeded: ['-', '-', '-', '-', '-', '-', '-'],
  timeout: ['-', '-', '-', '-', '-', '-', '-'],
};

test.each(jobExecutionStatuses)('an execution that is %s changes only by the transitions of the table', (status) => {
  expect(events.map((event) => nextStatus(status, event) ?? '-')).toEqual(expected[status]);
});

test('a status and an event lead to one status, and every event is used', () => {
  const pairs = transitions.map(({ from, event }) => `${from} ${event}`);
  expect(new Set(pairs).size).toBe(pairs.length);
  expect(new Set(transitions.map(({ event }) => event))).toEqual(new Set(events));
});

test('every status except the first can be reached, and every status that is not final can reach a final one', () => {
  const reached = new Set(transitions.map(({ to }) => to));
  expect(jobExecutionStatuses.filter((status) => !reached.has(status))).toEqual(['queued']);
  const ends = jobExecutionStatuses.filter((status) => !transitions.some(({ from }) => from === status));
  expect(ends).toEqual(['cancelled', 'failed', 'succeeded', 'timeout']);
});

import { expect, test } from 'vitest';
import { endBy, reasonOf, taskResult, withTimes } from './task-end.ts';

const end = { reason: 'exited', exitCode: 3, endedAtMs: 9_000 } as const;

test('the engine knows how long the process ran and when it ended', () => {
  const ended = withTimes(end, { status: 'exited', startedAt: 1_000, finishedAt: 4_500 }, 10_000);
  expect(taskResult(ended, 10_000)).toEqual({ reason: 'exited', exitCode: 3, ranMs: 3_500, endedMsAgo: 5_500 });
});

test('a process that is being ended has run until now', () => {
  const ended = withTimes(end, { status: 'running', startedAt: 1_000, finishedAt: undefined }, 10_000);
  expect(ended).toMatchObject({ ranMs: 9_000, endedAtMs: 10_000 });
});

test('a task that never started has no running time', () => {
  const failed = endBy({ code: 'image_missing', message: 'There is no such image.' }, 8_000);
  const created = { status: 'created', startedAt: undefined, finishedAt: undefined } as const;
  expect(withTimes(failed, created, 9_000)).toEqual(failed);
  expect(taskResult(failed, 9_000)).toEqual({ reason: 'image_missing', endedMsAgo: 1_000 });
});

test('times are never negative, also after the clock was set back', () => {
  const ended = withTimes(end, { status: 'exited', startedAt: 9_000, finishedAt: 2_000 }, 1_000);
  expect(taskResult(ended, 1_000)).toMatchObject({ ranMs: 0, endedMsAgo: 0 });
});

test('a process that the kernel killed for memory ran out of it; one that ended with 0 succeeded', () => {
  expect(reasonOf({ outOfMemory: true, exitCode: 137 })).toBe('out_of_memory');
  expect(reasonOf({ outOfMemory: true, exitCode: 0 })).toBe('exited');
  expect(reasonOf({ outOfMemory: false, exitCode: 137 })).toBe('exited');
});

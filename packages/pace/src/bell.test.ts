import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Bell } from './bell.ts';

test('a ring wakes the waiting loop, and a ring without a waiting loop is kept for its next wait', async () => {
  const bell = new Bell();
  const waiting = bell.wait(10_000);
  bell.ring();
  expect(await waiting).toBe(true);
  bell.ring();
  bell.ring();
  expect(await bell.wait(10_000)).toBe(true);
  expect(await bell.wait(5)).toBe(false);
});

test('an aborted signal ends the wait, and a wait leaves no listener on the signal', async () => {
  const bell = new Bell();
  const { signal, abort } = (() => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  })();
  await bell.wait(1, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  const waiting = bell.wait(10_000, signal);
  abort();
  expect(await waiting).toBe(false);
  expect(await bell.wait(10_000, signal)).toBe(false);
});

import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Notifier } from './notifier.ts';

test('a notification wakes the waiting loop, and one without a waiting loop is kept for its next wait', async () => {
  const notifier = new Notifier();
  const waiting = notifier.wait(10_000);
  notifier.notify();
  expect(await waiting).toBe(true);
  notifier.notify();
  notifier.notify();
  expect(await notifier.wait(10_000)).toBe(true);
  expect(await notifier.wait(5)).toBe(false);
});

test('an aborted signal ends the wait, and a wait leaves no listener on the signal', async () => {
  const notifier = new Notifier();
  const { signal, abort } = (() => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  })();
  await notifier.wait(1, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  const waiting = notifier.wait(10_000, signal);
  abort();
  expect(await waiting).toBe(false);
  expect(await notifier.wait(10_000, signal)).toBe(false);
});

import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

const refusal = () => new Error('Too many.');

test('a semaphore never exceeds its limit and serves calls in order, even when some fail', async () => {
  const take = createSemaphore(2, refusal);
  let running = 0;
  let maxRunning = 0;
  const order: number[] = [];
  const work = (index: number) =>
    take(new AbortController().signal, async () => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      order.push(index);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (index % 3 === 0) throw new Error('failed');
      return index;
    });
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => work(index)));
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(maxRunning).toBe(2);
});

test('a caller that has left before it comes does not wait, and takes no slot', async () => {
  const take = createSemaphore(1, refusal);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = take(new AbortController().signal, () => promise);
  let hasRun = false;
  const late = take(AbortSignal.abort(), async () => {
    hasRun = true;
  });
  await expect(late).rejects.toThrow(/Too many/);
  const next = take(new AbortController().signal, async () => 'next');
  resolve();
  await first;
  expect([await next, hasRun]).toEqual(['next', false]);
});

test('a caller that stops waiting takes no slot', async () => {
  const take = createSemaphore(1, refusal);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = take(new AbortController().signal, () => promise);
  const leaving = new AbortController();
  const second = take(leaving.signal, async () => 'second');
  const third = take(new AbortController().signal, async () => 'third');
  leaving.abort();
  await expect(second).rejects.toThrow(/Too many/);
  resolve();
  await first;
  expect(await third).toBe('third');
});

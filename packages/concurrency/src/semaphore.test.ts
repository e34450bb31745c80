import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

test('a semaphore runs at most its maximum at a time, in the order of the calls, also when some fail', async () => {
  const semaphore = new Semaphore(3);
  const order: number[] = [];
  let now = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      semaphore.run(async () => {
        order.push(index);
        now += 1;
        most = Math.max(most, now);
        await sleep(1);
        now -= 1;
        if (index % 4 === 0) throw new Error('failed');
        return index;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(order).toEqual(order.toSorted((left, right) => left - right));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(15);
});

test('an owner leaves one place to other owners, and waiting owners get places in turn', async () => {
  const semaphore = new Semaphore(3);
  const order: string[] = [];
  const ask = (owner: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      semaphore.run(async () => {
        order.push(`${owner}${index}`);
        await sleep(1);
      }, owner),
    );
  await Promise.all([...ask('a', 6), ...ask('b', 2), ...ask('c', 1)]);
  // `a` had begun two before `b` and `c` asked; the third place was kept free for another owner.
  expect(order).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'c0', 'a3', 'a4', 'a5']);
});

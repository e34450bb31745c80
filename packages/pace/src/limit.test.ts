import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Limit } from './limit.ts';

test('never more than the limit at a time, in the order they came, also when some fail', async () => {
  const limit = new Limit(3);
  const order: number[] = [];
  let now = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      limit.run(async () => {
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

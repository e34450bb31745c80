import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batchInserts } from './batch-inserts.ts';

const limits = { waitMs: 20, maxRows: 4 };

test('those of one moment share an insert, in the order they came, and the next moment has its own', async () => {
  const inserts: (readonly number[])[] = [];
  const store = batchInserts<number>(async (rows) => void inserts.push(rows), limits);
  await Promise.all([store([1]), store([2, 3])]);
  await store([4]);
  expect(inserts).toEqual([[1, 2, 3], [4]]);
});

test('with enough rows nobody is waited for', async () => {
  const inserts: (readonly number[])[] = [];
  const store = batchInserts<number>(async (rows) => void inserts.push(rows), { waitMs: 3_600_000, maxRows: 4 });
  await Promise.all([store([1, 2, 3]), store([4, 5])]);
  await store([6, 7, 8, 9]);
  expect(inserts).toEqual([
    [1, 2, 3, 4, 5],
    [6, 7, 8, 9],
  ]);
});

test('who comes while an insert is under way does not hear of its end, but of their own', async () => {
  const { promise: first, resolve: endFirst } = Promise.withResolvers<void>();
  const ends = [first, Promise.resolve()];
  const store = batchInserts<number>(() => ends.shift() ?? Promise.resolve(), limits);
  const told: string[] = [];
  const early = store([1]).then(() => told.push('early'));
  await sleep(3 * limits.waitMs);
  await store([2]).then(() => told.push('late'));
  expect(told).toEqual(['late']);
  endFirst();
  await early;
});

test('a failed insert is told to all who shared it, and to nobody else', async () => {
  let calls = 0;
  const store = batchInserts<number>(async () => {
    calls += 1;
    if (calls === 1) throw new Error('away');
  }, limits);
  const shared = await Promise.allSettled([store([1]), store([2])]);
  expect(shared.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await store([3]);
  expect(calls).toBe(2);
});

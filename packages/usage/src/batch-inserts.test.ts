import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batchInserts } from './batch-inserts.ts';

const limits = { waitMs: 20, maxRows: 4 };

test('rows that arrive within the wait share an insert, in order; later rows have their own', async () => {
  const inserts: (readonly number[])[] = [];
  const store = batchInserts<number>(async (rows) => void inserts.push(rows), limits);
  await Promise.all([store([1]), store([2, 3])]);
  await store([4]);
  expect(inserts).toEqual([[1, 2, 3], [4]]);
});

test('a batch with the maximum number of rows is inserted without waiting', async () => {
  const inserts: (readonly number[])[] = [];
  const store = batchInserts<number>(async (rows) => void inserts.push(rows), { waitMs: 3_600_000, maxRows: 4 });
  await Promise.all([store([1, 2, 3]), store([4, 5])]);
  await store([6, 7, 8, 9]);
  expect(inserts).toEqual([
    [1, 2, 3, 4, 5],
    [6, 7, 8, 9],
  ]);
});

test('a write during a running insert resolves with its own insert', async () => {
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

test('a failed insert rejects every write of its batch, and no other', async () => {
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

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { shareInserts } from './share-inserts.ts';

const moment = { momentMs: 20, enoughRows: 4 };

test('those of one moment share an insert, in the order they came, and the next moment has its own', async () => {
  const inserts: (readonly number[])[] = [];
  const store = shareInserts<number>(async (rows) => void inserts.push(rows), moment);
  await Promise.all([store([1]), store([2, 3])]);
  await store([4]);
  expect(inserts).toEqual([[1, 2, 3], [4]]);
});

test('with enough rows nobody is waited for', async () => {
  const inserts: (readonly number[])[] = [];
  const store = shareInserts<number>(async (rows) => void inserts.push(rows), { momentMs: 3_600_000, enoughRows: 4 });
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
  const store = shareInserts<number>(() => ends.shift() ?? Promise.resolve(), moment);
  const told: string[] = [];
  const early = store([1]).then(() => told.push('early'));
  await sleep(3 * moment.momentMs);
  await store([2]).then(() => told.push('late'));
  expect(told).toEqual(['late']);
  endFirst();
  await early;
});

test('a failed insert is told to all who shared it, and to nobody else', async () => {
  let calls = 0;
  const store = shareInserts<number>(async () => {
    calls += 1;
    if (calls === 1) throw new Error('away');
  }, moment);
  const shared = await Promise.allSettled([store([1]), store([2])]);
  expect(shared.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await store([3]);
  expect(calls).toBe(2);
});

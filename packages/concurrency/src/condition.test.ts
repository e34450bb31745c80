import { expect, test } from 'vitest';
import { Condition } from './condition.ts';

test('a change wakes every waiter whose predicate is true, and a true predicate does not wait', async () => {
  const condition = new Condition();
  let count = 0;
  const waiting = [condition.until(() => count >= 1, 10_000), condition.until(() => count >= 2, 10_000)];
  count = 1;
  condition.changed();
  expect(await waiting[0]).toBe(true);
  count = 2;
  condition.changed();
  expect(await waiting[1]).toBe(true);
  expect(await condition.until(() => count === 2, 0)).toBe(true);
});

test('a wait ends after its maximum time', async () => {
  const condition = new Condition();
  expect(await condition.until(() => false, 5)).toBe(false);
});

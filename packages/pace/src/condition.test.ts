import { expect, test } from 'vitest';
import { Condition } from './condition.ts';

test('everyone who waits is let through once it is so, and who comes then does not wait', async () => {
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

test('nobody waits longer than is said', async () => {
  const condition = new Condition();
  expect(await condition.until(() => false, 5)).toBe(false);
});

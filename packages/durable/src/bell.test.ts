import { expect, test } from 'vitest';
import { Bell } from './bell.ts';

async function msOf(wait: Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await wait;
  return performance.now() - startedAt;
}

test('a ring ends a wait, and one that came before it is not lost', async () => {
  const bell = new Bell();
  const waiting = msOf(bell.wait(10_000));
  bell.ring();
  expect(await waiting).toBeLessThan(1_000);
  bell.ring();
  expect(await msOf(bell.wait(10_000))).toBeLessThan(1_000);
  expect(await msOf(bell.wait(50))).toBeGreaterThanOrEqual(45);
});

test('a rest hears no ring, but keeps it for the next wait', async () => {
  const bell = new Bell();
  const resting = msOf(bell.rest(50));
  bell.ring();
  expect(await resting).toBeGreaterThanOrEqual(45);
  expect(await msOf(bell.wait(10_000))).toBeLessThan(1_000);
});

test('closing ends every wait at once', async () => {
  const bell = new Bell();
  const resting = msOf(bell.rest(10_000));
  bell.close();
  expect(await resting).toBeLessThan(1_000);
  expect(await msOf(bell.wait(10_000))).toBeLessThan(1_000);
});

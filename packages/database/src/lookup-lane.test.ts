import { expect, test } from 'vitest';
import { createLookupLane, LaneFull } from './lookup-lane.ts';

test('a lane runs some questions, lets some wait in order and refuses the rest at once', async () => {
  const lane = createLookupLane({ maxRunning: 2, maxWaiting: 3 });
  const asked: number[] = [];
  const ends: (() => void)[] = [];
  const question = (number: number) => () => {
    asked.push(number);
    return new Promise<number>((end) => ends.push(() => end(number)));
  };
  const answers = [1, 2, 3, 4, 5].map((number) => lane.ask(question(number)));
  await expect(lane.ask(question(6))).rejects.toBeInstanceOf(LaneFull);
  expect(asked).toEqual([1, 2]);
  ends[0]?.();
  expect(await answers[0]).toBe(1);
  // The question that waited longest takes the free place, so one more question may wait.
  const late = lane.ask(question(7));
  await expect(lane.ask(question(8))).rejects.toBeInstanceOf(LaneFull);
  expect(asked).toEqual([1, 2, 3]);
  for (let at = 1; at < 6; at += 1) {
    ends[at]?.();
    await Promise.resolve();
    await new Promise((turn) => setImmediate(turn));
  }
  expect(await Promise.all([...answers, late])).toEqual([1, 2, 3, 4, 5, 7]);
});

test('a question that fails gives its place back', async () => {
  const lane = createLookupLane({ maxRunning: 1, maxWaiting: 0 });
  await expect(lane.ask(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await lane.ask(async () => 'answered')).toBe('answered');
});

test('a question that waited too long is refused when its turn comes, and is not asked', async () => {
  let clock = 0;
  const lane = createLookupLane({ maxRunning: 1, maxWaiting: 9, maxWaitMs: 1_000, now: () => clock });
  const asked: string[] = [];
  const { promise: held, resolve: free } = Promise.withResolvers<void>();
  const first = lane.ask(() => held);
  await new Promise((begun) => setImmediate(begun));
  const early = lane.ask(async () => void asked.push('early')).catch((error: unknown) => error);
  clock = 500;
  const late = lane.ask(async () => void asked.push('late'));
  clock = 1_001;
  free();
  await first;
  expect(await early).toBeInstanceOf(LaneFull);
  await late;
  expect(asked).toEqual(['late']);
});

import { expect, test, vi } from 'vitest';
import { createBatchLane } from './batch-lane.ts';
import { LaneFull } from './lookup-lane.ts';

/** A lane whose statements answer when the test calls `end`. */
function makeLane(options: { maxWaiting: number; maxWaitMs?: number; now?: () => number }) {
  const asked: string[][] = [];
  const ends: (() => void)[] = [];
  const lane = createBatchLane(
    (questions: readonly string[]) => {
      asked.push([...questions]);
      const { promise, resolve } = Promise.withResolvers<string[]>();
      ends.push(() => resolve(questions.map((question) => `${question}!`)));
      return promise;
    },
    { distanceMs: 1, ...options },
  );
  const begun = (statements: number) => vi.waitFor(() => expect(asked).toHaveLength(statements));
  return { lane, asked, begun, end: (at: number) => ends[at]?.() };
}

test('one statement answers all waiting questions in order, and questions beyond the maximum are refused at once', async () => {
  const { lane, asked, begun, end } = makeLane({ maxWaiting: 3 });
  const first = lane.ask('a');
  const others = ['b', 'c', 'd'].map((question) => lane.ask(question));
  expect(lane.isFull).toBe(true);
  await expect(lane.ask('e')).rejects.toBeInstanceOf(LaneFull);
  expect(asked).toEqual([['a']]);
  end(0);
  expect(await first).toBe('a!');
  await begun(2);
  expect(lane.isFull).toBe(false);
  expect(asked).toEqual([['a'], ['b', 'c', 'd']]);
  end(1);
  expect(await Promise.all(others)).toEqual(['b!', 'c!', 'd!']);
});

test('statements keep their minimum distance, however many questions wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  try {
    const beganAt = performance.now();
    const starts: number[] = [];
    const askAll = async (questions: readonly number[]) => {
      starts.push(performance.now() - beganAt);
      return questions;
    };
    const lane = createBatchLane(askAll, { maxWaiting: 1_000, distanceMs: 20 });
    const answers: Promise<number>[] = [];
    for (let ms = 0; ms < 100; ms += 1) {
      answers.push(lane.ask(ms), lane.ask(ms));
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(starts).toEqual([0, 20, 40, 60, 80, 100]);
    await vi.advanceTimersByTimeAsync(20);
    expect(await Promise.all(answers)).toHaveLength(200);
  } finally {
    vi.useRealTimers();
  }
});

test('a failed statement rejects every question it answers, and the next statement runs', async () => {
  let isAway = true;
  const askAll = (questions: readonly string[]) =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(questions);
  const lane = createBatchLane(askAll, { maxWaiting: 9, distanceMs: 1 });
  const failed = await Promise.allSettled([lane.ask('a'), lane.ask('b'), lane.ask('c')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  isAway = false;
  expect(await lane.ask('d')).toBe('d');
});

test('a question that waited too long is refused when its turn comes, and is not asked', async () => {
  let clock = 0;
  const { lane, asked, begun, end } = makeLane({ maxWaiting: 9, maxWaitMs: 1_000, now: () => clock });
  const first = lane.ask('first');
  const early = lane.ask('early').catch((error: unknown) => error);
  clock = 500;
  const late = lane.ask('late');
  clock = 1_001;
  end(0);
  await first;
  expect(await early).toBeInstanceOf(LaneFull);
  await begun(2);
  end(1);
  expect(await late).toBe('late!');
  expect(asked).toEqual([['first'], ['late']]);
});

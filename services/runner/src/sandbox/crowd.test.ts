import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Crowd, longestIdle } from './crowd.ts';

interface Person {
  readonly name: string;
  isAsleep: boolean;
  idleMs: number;
  hurry(): Promise<void>;
}

const most = 8;
const comfortable = 6;

function awake(name: string, idleMs: number): Person {
  return {
    name,
    isAsleep: false,
    idleMs,
    async hurry() {
      await sleep(20);
      this.isAsleep = true;
    },
  };
}

const asleepOf = (members: readonly Person[]) => members.filter(({ isAsleep }) => isAsleep).map(({ name }) => name);

/** In use: asked or not, it stays awake. */
const busy = (name: string): Person => ({ ...awake(name, Number.NEGATIVE_INFINITY), hurry: async () => {} });

test('the longest idle first; who need not be asked is not among them', () => {
  const members = [3, -1, 9, 0, Number.NEGATIVE_INFINITY, 5].map((idleMs) => ({ idleMs }));
  expect(longestIdle(members)).toEqual([9, 5, 3, 0].map((idleMs) => ({ idleMs })));
});

test('however many come at once, never more are awake than there is room for, and each of them wakes', async () => {
  const members: Person[] = [];
  const crowd = new Crowd(1, () => members);
  let mostSeen = 0;
  const woken: string[] = [];
  const names = Array.from({ length: 60 }, (_, at) => `${at}`);
  await Promise.all(
    names.map((name, at) =>
      crowd.enter(async () => {
        members.push(awake(name, 1_000 - at));
        woken.push(name);
        mostSeen = Math.max(mostSeen, members.filter(({ isAsleep }) => !isAsleep).length);
      }),
    ),
  );
  expect(woken).toEqual(names);
  expect(mostSeen).toBeGreaterThan(comfortable);
  expect(mostSeen).toBeLessThanOrEqual(most);
});

test('where there is room nobody is asked to sleep', async () => {
  const members = [awake('a', 50)];
  const crowd = new Crowd(1, () => members);
  await crowd.enter(async () => {});
  await sleep(50);
  expect(members.map(({ isAsleep }) => isAsleep)).toEqual([false]);
});

test('as many sleep as leave room for the next, the longest idle', async () => {
  const members = Array.from({ length: comfortable + 1 }, (_, at) => awake(`${at}`, at));
  const crowd = new Crowd(1, () => members);
  await crowd.enter(async () => {});
  await expect.poll(() => asleepOf(members)).toEqual(['5', '6']);
});

test('when one more comes by itself, those that were used a moment ago are left alone', async () => {
  const members = Array.from({ length: comfortable + 3 }, (_, at) => awake(`${at}`, at < 2 ? 5_000 : 10));
  new Crowd(1, () => members).thinOut();
  await expect.poll(() => asleepOf(members)).toEqual(['0', '1']);
});

test('if all are in use one more wakes all the same, a second later', async () => {
  const members = Array.from({ length: most }, (_, at) => busy(`${at}`));
  const crowd = new Crowd(1, () => members);
  const startedAt = performance.now();
  await crowd.enter(async () => {});
  expect(performance.now() - startedAt).toBeGreaterThan(900);
});

test('a wake that fails leaves its place to the next', async () => {
  const crowd = new Crowd(1, () => []);
  const failing = crowd.enter(() => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await crowd.enter(async () => 'awake')).toBe('awake');
});

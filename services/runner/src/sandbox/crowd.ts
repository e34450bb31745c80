// With gVisor before June 2026 an idle sandbox that is awake takes some 3 % of a core, and too many of them take the machine from
// everybody. Decision 011 says what a current build changes. So only so many are awake: one more waits until another sleeps, and those that nobody uses sleep sooner. To wake again
// costs them some milliseconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { Limit } from '@berth/pace';
import type { KeptSandbox } from './kept-sandbox.ts';

/** Awake at most; and those that nobody uses sleep sooner once more are awake than leave some room for who comes next. */
const perCore = { most: 8, comfortable: 6 };
/** If all others are in use that long: better slow than not at all. */
const patienceMs = 1_000;
const lookMs = 10;
/** Within which one that is new is used for the first time, mostly. */
const momentMs = 1_000;

type Member = Pick<KeptSandbox, 'isAsleep' | 'idleMs' | 'hurry'>;

export class Crowd {
  readonly #members: () => Iterable<Member>;
  readonly #most: number;
  readonly #comfortable: number;
  readonly #turns = new Limit(1);
  #waiting = 0;

  constructor(cores: number, members: () => Iterable<Member>) {
    this.#members = members;
    this.#most = Math.max(1, Math.floor(cores * perCore.most));
    this.#comfortable = Math.floor(cores * perCore.comfortable);
  }

  /** Wakes one when there is room for it, in the order they came. */
  async enter<Result>(wake: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    return this.#turns.run(async () => {
      const giveUpAt = performance.now() + patienceMs;
      while (!this.#makesRoom() && performance.now() < giveUpAt) await sleep(lookMs);
      this.#waiting -= 1;
      return wake();
    });
  }

  /** One more has come that was not asleep; it and others may be about to be used. */
  thinOut(): void {
    this.#makesRoom(momentMs);
  }

  /** Whether there is room; if it is tight with all who wait, as many as that takes are asked to sleep. */
  #makesRoom(leastIdleMs = 0): boolean {
    const awake = [...this.#members()].filter(({ isAsleep }) => !isAsleep);
    const tooMany = Math.max(0, awake.length + this.#waiting - this.#comfortable);
    const idle = longestIdle(awake).filter(({ idleMs }) => idleMs >= leastIdleMs);
    for (const member of idle.slice(0, tooMany)) void member.hurry();
    return awake.length < this.#most;
  }
}

/** Of those that may be put to sleep for the sake of others. */
export const longestIdle = <Each extends Pick<Member, 'idleMs'>>(members: Iterable<Each>): Each[] =>
  [...members].filter(({ idleMs }) => idleMs >= 0).toSorted((a, b) => b.idleMs - a.idleMs);

// Under gVisor a sandbox that is awake takes some 3 % of a core though nothing runs inside. Too many of them take the machine from
// everybody: so they wake at a pace it can bear, and those that nobody uses sleep sooner. To wake again costs them some milliseconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { Limit } from '@berth/pace';
import type { KeptSandbox } from './kept-sandbox.ts';

const perCore = { idle: 8, wakesInASecond: 6 };
const secondMs = 1_000;

type Member = Pick<KeptSandbox, 'idleMs' | 'hurry'>;

export class Crowd {
  readonly #members: () => Iterable<Member>;
  readonly #mostIdle: number;
  readonly #wakes: Limit;

  constructor(cores: number, members: () => Iterable<Member>) {
    this.#members = members;
    this.#mostIdle = Math.max(1, Math.floor(cores * perCore.idle));
    this.#wakes = new Limit(Math.max(1, Math.floor(cores * perCore.wakesInASecond)));
  }

  /** Resolves when one more may wake, in the order they came. */
  async enter(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#wakes.run(() => {
      resolve();
      return sleep(secondMs, undefined, { ref: false });
    });
    await promise;
    for (const member of beyond(this.#mostIdle, this.#members())) void member.hurry();
  }
}

/** Those who would have to go for so many to stay: the longest idle. One with a negative time is not idle. */
export function beyond<Idle extends Pick<Member, 'idleMs'>>(most: number, members: Iterable<Idle>): Idle[] {
  const idle = [...members].filter(({ idleMs }) => idleMs >= 0).toSorted((a, b) => b.idleMs - a.idleMs);
  return idle.slice(0, Math.max(0, idle.length - most));
}

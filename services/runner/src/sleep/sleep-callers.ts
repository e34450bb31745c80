// Callers that wait for one sandbox: until it is awake, until it sleeps, or until its last lease has ended.
import type { RunnerCallAnswer } from '@berth/contract/node';
import type { Opened } from './sleep-manager.ts';
import { Waiters } from './waiters.ts';

/** Shorter than a gateway's own timeout for a sandbox. */
const openMs = 50_000;
export const releaseMs = 30_000;
const sleepMs = 20_000;
/** Time for holders of unused leases to return them. */
const recallMs = 1_000;
const retryAfterSeconds = 5;

export class SleepCallers {
  readonly #openers: Waiters<Opened>;
  readonly #releasers = new Waiters<'awake' | 'too late'>(releaseMs);
  readonly #sleepers = new Waiters<RunnerCallAnswer>(sleepMs);
  readonly #lastLease = new Waiters<void>(recallMs);

  constructor(onOpenersChanged: () => void) {
    this.#openers = new Waiters(openMs, onOpenersChanged);
  }

  /** Number of callers that wait until the sandbox is open. */
  get openers(): number {
    return this.#openers.size;
  }

  untilOpen(): Promise<Opened> {
    return this.#openers.wait({ is: 'busy', retryAfterSeconds });
  }

  untilReleased(): Promise<'awake' | 'too late'> {
    return this.#releasers.wait('too late');
  }

  untilAsleep(tooLate: RunnerCallAnswer): Promise<RunnerCallAnswer> {
    return this.#sleepers.wait(tooLate);
  }

  /** Returns after `recallMs` at the latest. */
  untilLastLease(): Promise<void> {
    return this.#lastLease.wait();
  }

  awake(): void {
    this.#openers.answer({ is: 'open' });
    this.#releasers.answer('awake');
  }

  busy(answer: Extract<Opened, { is: 'busy' }>): void {
    this.#openers.answer(answer);
  }

  /** Answers the callers that asked for sleep. */
  sleep(answer: RunnerCallAnswer): void {
    this.#sleepers.answer(answer);
  }

  lastLeaseEnded(): void {
    this.#lastLease.answer();
  }

  /** The sandbox is gone. */
  forget(): void {
    this.#openers.answer({ is: 'unknown' });
    this.#releasers.answer('awake');
    this.#sleepers.answer({ call: 'unknown' });
  }
}

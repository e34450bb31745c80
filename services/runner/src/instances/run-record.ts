// Past attempts of an instance and their results; the input of `decide`.
import type { ContainerState } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import { type Attempt, firstAttempt, type Observed } from './decide.ts';

export class RunRecord {
  #attempt: Attempt;
  /** The run that answers now, or that answered last. */
  #answering: { readonly pid: number | undefined; readonly since: number } | undefined;

  /** A saved failure outlives the runner process that found it. */
  constructor(failure: Failure | undefined) {
    this.#attempt = { ...firstAttempt, failure };
  }

  get attempt(): Attempt {
    return this.#attempt;
  }

  get failure(): Failure | undefined {
    return this.#attempt.failure;
  }

  started(): void {
    this.#answering = undefined;
    this.#attempt = { ...this.#attempt, starts: this.#attempt.starts + 1 };
  }

  /** The container runs, but was started before this process began to count. */
  foundRunning(): void {
    this.#attempt = { ...this.#attempt, starts: Math.max(1, this.#attempt.starts) };
  }

  answers(pid: number | undefined): void {
    this.#answering = { pid, since: performance.now() };
    this.#attempt = { ...this.#attempt, hasAnswered: true };
  }

  restarted({ failedStarts, restarts }: Pick<Attempt, 'failedStarts' | 'restarts'>): void {
    this.#answering = undefined;
    this.#attempt = { ...this.#attempt, failedStarts, restarts };
  }

  failed(failure: Failure): void {
    this.#attempt = { ...this.#attempt, failure };
  }

  gone(): void {
    this.#attempt = { ...firstAttempt, starts: this.#attempt.starts };
  }

  observed(
    state: ContainerState | undefined,
    { hasNetwork, ...owner }: Pick<Observed, 'hasNetwork' | 'holdsFiles' | 'isAwaited'>,
  ): Observed {
    if (state === undefined)
      return { status: 'absent', outOfMemory: false, hasNetwork: false, answeredMs: undefined, ...owner };
    const { status, outOfMemory, pid } = state;
    // The container may have been restarted from outside; that run has not answered yet.
    const isOtherRun = pid !== undefined && this.#answering?.pid !== pid;
    const since = isOtherRun ? undefined : this.#answering?.since;
    const answeredMs = since === undefined ? undefined : performance.now() - since;
    return { status, outOfMemory, hasNetwork, answeredMs, ...owner };
  }
}

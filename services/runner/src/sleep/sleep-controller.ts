// Sleep of one sandbox: carries out the steps of `next-step.ts`, one at a time, and answers waiting callers.

import { backoffMs } from '@berth/concurrency';
import type { RunnerCallAnswer } from '@berth/contract/node';
import type { UsageMeter } from '../meter/meter.ts';
import { carryOutStep, type SleepOutcome, type SleepWork, type StepDependencies } from './carry-out-step.ts';
import { meteringAfter } from './metering-after.ts';
import { isExpired, nextStep, type SleepRules, unusedMs } from './next-step.ts';
import type { RunningSandbox } from './running-sandbox.ts';
import { releaseMs, SleepCallers } from './sleep-callers.ts';
import type { Opened, SandboxActivity } from './sleep-manager.ts';
import { isInUse, newSleepState, nextState, type SleepEvent, type SleepState } from './sleep-state.ts';

export interface SleepDependencies extends StepDependencies {
  /** Recalls leases that have no request in progress. */
  readonly recall: (instance: string) => void;
  readonly onActivity: (instance: string, activity: SandboxActivity) => void;
  /** Absent where nothing is metered. */
  readonly meter?: Pick<UsageMeter, 'begin' | 'hold' | 'end'>;
}

export interface EarlierUse {
  readonly usedMsAgo: number;
  readonly leases: number;
}

/** A sandbox that could not be put to sleep to free memory is not asked again for this long. */
const refusalMs = 5_000;
const retryMs = { first: 100, max: 10_000 };
const longestTimerMs = 2 ** 31 - 1;

const inUse: RunnerCallAnswer = {
  call: 'failed',
  message: 'Somebody is connected to the sandbox. Close the connections, or wait: it falls asleep by itself.',
};
const beingChanged: RunnerCallAnswer = {
  call: 'failed',
  message: 'The sandbox is being changed or removed at this moment. Try again in a few seconds.',
};

export class SleepController {
  readonly #deps: SleepDependencies;
  readonly #callers = new SleepCallers(() => this.#countOpeners());
  #sandbox: RunningSandbox;
  #state: SleepState;
  /** Step in progress; the next one begins after it. */
  #doing: SleepWork | undefined;
  /** The wake is admitted and the thaw is in progress. */
  #isThawing = false;
  #done: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lastError = '';
  #freeingMemory: Promise<void> | undefined;
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  constructor(sandbox: RunningSandbox, { usedMsAgo, leases }: EarlierUse, deps: SleepDependencies) {
    this.#sandbox = sandbox;
    this.#deps = deps;
    this.#state = { ...newSleepState(now() - usedMsAgo, leases), ...knownOf(sandbox) };
    this.#meter('managed');
    this.#advance();
  }

  get sandbox(): RunningSandbox {
    return this.#sandbox;
  }

  get isAsleep(): boolean {
    return this.#state.frozen === 'yes' && !this.#isThawing;
  }

  /** Neither frozen nor being frozen. */
  get #isAwake(): boolean {
    return this.#state.frozen === 'no' && this.#doing !== 'freeze';
  }

  /** Negative for a sandbox that cannot be put to sleep now to free memory. */
  get idleMs(): number {
    const { isReleased, openers } = this.#state;
    const mayBeAsked = this.#isAwake && !isReleased && openers === 0 && now() >= this.#refusedAtMs + refusalMs;
    return mayBeAsked ? unusedMs(this.#state, now()) : Number.NEGATIVE_INFINITY;
  }

  manage(sandbox: RunningSandbox): void {
    const isSame = isSameRun(sandbox, this.#sandbox);
    this.#sandbox = sandbox;
    // A new run: the state of the previous one does not apply to it.
    if (!isSame)
      this.#state = {
        ...newSleepState(this.#state.usedAtMs, this.#state.leases),
        ...knownOf(sandbox),
        openers: this.#callers.openers,
        reported: this.#state.reported,
      };
    this.#handle({ is: 'managed' });
  }

  async release(): Promise<void> {
    this.#handle({ is: 'released' });
    if (this.#isAwake || (await this.#callers.untilReleased()) === 'awake') return;
    throw new Error(`The sandbox could not be woken within ${releaseMs} ms: ${this.#lastError}`);
  }

  async open(): Promise<Opened> {
    return this.#isAwake ? { is: 'open' } : this.#callers.untilOpen();
  }

  countLeases(count: number): void {
    this.#handle({ is: 'leases', count });
    if (count === 0) this.#callers.lastLeaseEnded();
  }

  async wake(): Promise<RunnerCallAnswer> {
    this.#handle({ is: 'used' });
    if (this.#isAwake) return { call: 'unchanged' };
    const opened = await this.open();
    if (opened.is === 'busy') return { call: 'busy', retryAfterSeconds: opened.retryAfterSeconds };
    return { call: opened.is === 'open' ? 'done' : 'unknown' };
  }

  async sleep(): Promise<RunnerCallAnswer> {
    if (this.isAsleep && this.#doing === undefined && !isInUse(this.#state)) return { call: 'unchanged' };
    if (this.#state.isReleased) return beingChanged;
    if (await this.#staysInUse()) return this.#state.isReleased ? beingChanged : inUse;
    const message = `It could not be put to sleep: ${this.#lastError}`;
    const answer = this.#callers.untilAsleep({ call: 'failed', message });
    this.#handle({ is: 'sleep asked' });
    return answer;
  }

  /** Puts the sandbox to sleep now unless it is in use or kept alive from inside. Resolves in both cases. */
  sleepToFreeMemory(): Promise<void> {
    this.#freeingMemory ??= this.#freeMemory().finally(() => {
      this.#freeingMemory = undefined;
    });
    return this.#freeingMemory;
  }

  async #freeMemory(): Promise<void> {
    if (!(await this.#staysInUse())) {
      const answer = this.#callers.untilAsleep(inUse);
      this.#handle({ is: 'memory needed' });
      if ((await answer).call === 'done') return;
    }
    this.#refusedAtMs = now();
  }

  /** Recalls unused leases; true when the sandbox is still in use afterwards. */
  async #staysInUse(): Promise<boolean> {
    if (this.#state.leases > 0) {
      this.#deps.recall(this.#sandbox.instance);
      await this.#callers.untilLastLease();
    }
    return isInUse(this.#state);
  }

  /** Stops managing the sandbox; waiting callers get `unknown`. */
  forget(): void {
    void this.close();
    this.#callers.forget();
  }

  /** Waits for the step in progress. */
  close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    return this.#done;
  }

  #countOpeners(): void {
    const count = this.#callers.openers;
    if (this.#state.openers !== count) this.#handle({ is: 'openers', count });
  }

  #handle(event: SleepEvent): void {
    this.#state = nextState(this.#state, event, now());
    this.#answerCallers();
    this.#meter(event.is);
    this.#advance();
  }

  /** Callers of a wake are answered before. */
  #meter(event: SleepEvent['is']): void {
    const { meter } = this.#deps;
    const { instance, memoryMb, containerId, pid } = this.#sandbox;
    if (meter === undefined || memoryMb === undefined || this.#isClosed) return;
    const metering = meteringAfter(event, this.#state.frozen, this.#doing === 'freeze');
    if (metering === 'end') meter.end(instance);
    // Without the start of the container: the end of a run that the engine knows says nothing about a sandbox, which may
    // have slept until then.
    else if (metering !== 'keep')
      meter.begin(instance, { memoryMb, run: `${containerId} ${pid}`, pid, continues: metering === 'continue' });
  }

  #answerCallers(): void {
    const { frozen, isSleepAsked, ignoresIdleTime } = this.#state;
    if (this.#isAwake) this.#callers.awake();
    if (frozen === 'yes') this.#callers.sleep({ call: 'done' });
    else if (!isSleepAsked && !ignoresIdleTime && this.#doing === undefined)
      this.#callers.sleep(isInUse(this.#state) ? inUse : { call: 'failed', message: this.#lastError });
  }

  /** Begins the next step, unless one is in progress. */
  #advance(): void {
    if (this.#doing !== undefined || this.#isClosed) return;
    clearTimeout(this.#timer);
    const rules = rulesOf(this.#sandbox);
    let step = nextStep(this.#state, rules, now());
    for (; step.do === 'report'; step = nextStep(this.#state, rules, now())) this.#report(rules);
    if (step.do === 'rest') {
      const restMs = Math.min(longestTimerMs, Math.max(1, Math.ceil(step.untilMs - now())));
      if (step.untilMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#advance(), restMs).unref();
      return;
    }
    this.#done = this.#do(step.do);
  }

  async #do(work: SleepWork): Promise<void> {
    this.#doing = work;
    const sandbox = this.#sandbox;
    if (work === 'freeze') this.#deps.meter?.hold(sandbox.instance);
    const onThawing = (): void => {
      this.#isThawing = true;
    };
    const { isReleased } = this.#state;
    const outcome = await carryOutStep(work, { sandbox, isReleased, onThawing }, this.#deps).catch((err: unknown) =>
      this.#failed(err, work, sandbox),
    );
    if (outcome.is === 'busy') this.#callers.busy(outcome);
    const event: SleepEvent = outcome.is === 'busy' ? { is: 'openers', count: this.#callers.openers } : outcome;
    this.#doing = undefined;
    this.#isThawing = false;
    // The step belonged to a run that is over.
    this.#handle(isSameRun(sandbox, this.#sandbox) ? event : { is: 'failed', pauseMs: 0 });
  }

  #failed(err: unknown, what: SleepWork, { instance }: RunningSandbox): SleepOutcome {
    const { failures } = this.#state;
    this.#lastError = err instanceof Error ? err.message : String(err);
    this.#deps.logger.warn({ err, instance, failures, what }, 'sleep step of sandbox failed; retrying');
    return { is: 'failed', pauseMs: backoffMs(failures + 1, retryMs.first, retryMs.max, Math.random) };
  }

  #report(rules: SleepRules): void {
    const hasExpired = isExpired(this.#state, rules, now());
    const awake = this.#state.frozen === 'no';
    const usedMsAgo = unusedMs(this.#state, now());
    this.#deps.onActivity(this.#sandbox.instance, { awake, usedMsAgo, ...(hasExpired ? { isExpired: true } : {}) });
    this.#state = nextState(this.#state, { is: 'reported', isAwake: awake, isExpired: hasExpired }, now());
  }
}

const now = (): number => performance.now();

const isSameRun = (one: RunningSandbox, other: RunningSandbox): boolean =>
  one.containerId === other.containerId && one.pid === other.pid;

const knownOf = ({ isAwake }: RunningSandbox): Partial<SleepState> => (isAwake ? { frozen: 'no' } : {});

const rulesOf = ({ settings }: RunningSandbox): SleepRules => ({
  idleMs: settings.idleSeconds * 1_000,
  expiresIdleMs: settings.expiresIdleSeconds === undefined ? undefined : settings.expiresIdleSeconds * 1_000,
});

// One kept sandbox: carries out the steps of `next-step.ts`, one at a time, and answers waiting callers.
import type { RunnerCallAnswer } from '@berth/contract';
import { backoffMs } from '@berth/pace';
import type { Logger } from '@berth/telemetry';
import type { GuestControl } from '../sandbox/guest-control.ts';
import type { Freezer } from './freezer.ts';
import type { Opened, RunningSandbox, SandboxNews } from './keeper.ts';
import { isExpired, nextStep, type SleepRules, type Step, unusedMs } from './next-step.ts';
import { after, type Happening, isInUse, newStanding, type Standing } from './standing.ts';
import { Waiters } from './waiters.ts';
import type { Admitted } from './wake-admission.ts';

export interface KeepingTools {
  readonly freezer: Freezer;
  readonly guest: Pick<GuestControl, 'quiesce'>;
  /** Waits until the machine has enough free memory, then thaws; `busy` when there is none. */
  readonly wake: (thaw: () => Promise<void>) => Promise<Admitted>;
  /** Recalls leases that have no request in progress. */
  readonly recall: (instance: string) => void;
  readonly onNews: (instance: string, news: SandboxNews) => void;
  readonly onWake: (outcome: 'woken' | 'busy' | 'failed', seconds: number) => void;
  readonly logger: Logger;
}

export interface KeptSince {
  readonly usedMsAgo: number;
  readonly leases: number;
}

/** Shorter than a gateway's own timeout for a sandbox. */
const openMs = 50_000;
const releaseMs = 30_000;
const sleepMs = 20_000;
/** Time for holders of unused leases to return them. */
const recallMs = 1_000;
/** A sandbox that could not be put to sleep to free memory is not asked again for this long. */
const refusalMs = 5_000;
const retryMs = { first: 100, most: 10_000 };
const retryAfterSeconds = 5;
const longestTimerMs = 2 ** 31 - 1;

const inUse: RunnerCallAnswer = {
  call: 'failed',
  message: 'Somebody is connected to the sandbox. Close the connections, or wait: it falls asleep by itself.',
};
const beingChanged: RunnerCallAnswer = {
  call: 'failed',
  message: 'The sandbox is being changed or removed at this moment. Try again in a few seconds.',
};

export class KeptSandbox {
  readonly #tools: KeepingTools;
  #sandbox: RunningSandbox;
  #standing: Standing;
  /** Step in progress; the next one begins after it. */
  #doing: Step['do'] | undefined;
  /** The wake is admitted and the thaw is in progress. */
  #isThawing = false;
  #done: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #trouble = '';
  #hurrying: Promise<void> | undefined;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  readonly #openers = new Waiters<Opened>(openMs, () => this.#countOpeners());
  readonly #releasers = new Waiters<'awake' | 'too late'>(releaseMs);
  readonly #sleepers = new Waiters<RunnerCallAnswer>(sleepMs);
  readonly #lastToLeave = new Waiters<void>(recallMs);

  constructor(sandbox: RunningSandbox, { usedMsAgo, leases }: KeptSince, tools: KeepingTools) {
    this.#sandbox = sandbox;
    this.#tools = tools;
    this.#standing = { ...newStanding(now() - usedMsAgo, leases), ...knownOf(sandbox) };
    this.#go();
  }

  get sandbox(): RunningSandbox {
    return this.#sandbox;
  }

  get isAsleep(): boolean {
    return this.#standing.frozen === 'yes' && !this.#isThawing;
  }

  /** The sandbox is being changed or removed. */
  get isReleased(): boolean {
    return this.#standing.isReleased;
  }

  /** Neither frozen nor being frozen. */
  get #isAwake(): boolean {
    return this.#standing.frozen === 'no' && this.#doing !== 'freeze';
  }

  /** Negative for a sandbox that cannot be put to sleep now to free memory. */
  get idleMs(): number {
    const { isReleased, openers } = this.#standing;
    const mayBeAsked = this.#isAwake && !isReleased && openers === 0 && now() >= this.#refusedAtMs + refusalMs;
    return mayBeAsked ? unusedMs(this.#standing, now()) : Number.NEGATIVE_INFINITY;
  }

  keep(sandbox: RunningSandbox): void {
    const { containerId, pid } = this.#sandbox;
    this.#sandbox = sandbox;
    // A new run: the state of the previous one does not apply to it.
    if (sandbox.containerId !== containerId || sandbox.pid !== pid)
      this.#standing = {
        ...newStanding(this.#standing.usedAtMs, this.#standing.leases),
        ...knownOf(sandbox),
        openers: this.#openers.size,
        told: this.#standing.told,
      };
    this.#happen({ is: 'kept' });
  }

  async release(): Promise<void> {
    this.#happen({ is: 'released' });
    if (this.#isAwake || (await this.#releasers.wait('too late')) === 'awake') return;
    throw new Error(`The sandbox could not be woken within ${releaseMs} ms: ${this.#trouble}`);
  }

  async open(): Promise<Opened> {
    return this.#isAwake ? { is: 'open' } : this.#openers.wait({ is: 'busy', retryAfterSeconds });
  }

  countLeases(count: number): void {
    this.#happen({ is: 'leases', count });
    if (count === 0) this.#lastToLeave.answer();
  }

  async wake(): Promise<RunnerCallAnswer> {
    this.#happen({ is: 'used' });
    if (this.#isAwake) return { call: 'unchanged' };
    const opened = await this.open();
    if (opened.is === 'busy') return { call: 'busy', retryAfterSeconds: opened.retryAfterSeconds };
    return { call: opened.is === 'open' ? 'done' : 'unknown' };
  }

  async sleep(): Promise<RunnerCallAnswer> {
    if (this.isAsleep && this.#doing === undefined && !isInUse(this.#standing)) return { call: 'unchanged' };
    if (this.#standing.isReleased) return beingChanged;
    if (await this.#staysInUse()) return this.#standing.isReleased ? beingChanged : inUse;
    const answer = this.#sleepers.wait({ call: 'failed', message: `It could not be put to sleep: ${this.#trouble}` });
    this.#happen({ is: 'sleep asked' });
    return answer;
  }

  /** Puts the sandbox to sleep now unless it is in use or kept alive from inside. Resolves in both cases. */
  hurry(): Promise<void> {
    this.#hurrying ??= this.#hurry().finally(() => {
      this.#hurrying = undefined;
    });
    return this.#hurrying;
  }

  async #hurry(): Promise<void> {
    if (!(await this.#staysInUse())) {
      const answer = this.#sleepers.wait(inUse);
      this.#happen({ is: 'hurried' });
      if ((await answer).call === 'done') return;
    }
    this.#refusedAtMs = now();
  }

  /** Recalls unused leases; true when the sandbox is still in use afterwards. */
  async #staysInUse(): Promise<boolean> {
    if (this.#standing.leases > 0) {
      this.#tools.recall(this.#sandbox.instance);
      await this.#lastToLeave.wait();
    }
    return isInUse(this.#standing);
  }

  /** Stops managing the sandbox; waiting callers get `unknown`. */
  forget(): void {
    void this.close();
    this.#openers.answer({ is: 'unknown' });
    this.#releasers.answer('awake');
    this.#sleepers.answer({ call: 'unknown' });
  }

  /** Waits for the step in progress. */
  close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    return this.#done;
  }

  #countOpeners(): void {
    if (this.#standing.openers !== this.#openers.size) this.#happen({ is: 'openers', count: this.#openers.size });
  }

  #happen(happening: Happening): void {
    this.#standing = after(this.#standing, happening, now());
    this.#answerWaiters();
    this.#go();
  }

  #answerWaiters(): void {
    const { frozen, isSleepAsked, isHurried } = this.#standing;
    if (this.#isAwake) {
      this.#openers.answer({ is: 'open' });
      this.#releasers.answer('awake');
    }
    if (frozen === 'yes') this.#sleepers.answer({ call: 'done' });
    else if (!isSleepAsked && !isHurried && this.#doing === undefined)
      this.#sleepers.answer(isInUse(this.#standing) ? inUse : { call: 'failed', message: this.#trouble });
  }

  #go(): void {
    if (this.#doing !== undefined || this.#isClosed) return;
    clearTimeout(this.#timer);
    const rules = rulesOf(this.#sandbox);
    let step = nextStep(this.#standing, rules, now());
    for (; step.do === 'tell'; step = nextStep(this.#standing, rules, now())) this.#tell(rules);
    if (step.do === 'rest') {
      const restMs = Math.min(longestTimerMs, Math.max(1, Math.ceil(step.untilMs - now())));
      if (step.untilMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#go(), restMs).unref();
      return;
    }
    this.#done = this.#do(step.do);
  }

  async #do(what: Exclude<Step['do'], 'tell' | 'rest'>): Promise<void> {
    this.#doing = what;
    const sandbox = this.#sandbox;
    const happening = await this.#carryOut(what, sandbox).catch((err: unknown): Happening => {
      const { instance } = sandbox;
      const { failures } = this.#standing;
      this.#trouble = err instanceof Error ? err.message : String(err);
      this.#tools.logger.warn(
        { err, instance, failures, what },
        'a sandbox could not be put to sleep or woken; tried again',
      );
      return { is: 'failed', pauseMs: backoffMs(failures + 1, retryMs.first, retryMs.most, Math.random) };
    });
    this.#doing = undefined;
    this.#isThawing = false;
    // The step belonged to a run that is over.
    const isOutdated = sandbox.pid !== this.#sandbox.pid || sandbox.containerId !== this.#sandbox.containerId;
    this.#happen(isOutdated ? { is: 'failed', pauseMs: 0 } : happening);
  }

  async #carryOut(what: Exclude<Step['do'], 'tell' | 'rest'>, sandbox: RunningSandbox): Promise<Happening> {
    const { freezer } = this.#tools;
    if (what === 'thaw') return this.#thaw(sandbox);
    if (what === 'look') return { is: 'found', isFrozen: await freezer.isFrozen(sandbox) };
    if (what === 'ask') return this.#ask(sandbox);
    await freezer.freeze(sandbox);
    return { is: 'frozen' };
  }

  async #thaw(sandbox: RunningSandbox): Promise<Happening> {
    const { wake, freezer, onWake } = this.#tools;
    const startedAt = now();
    const tell = (outcome: Parameters<typeof onWake>[0]): void => onWake(outcome, (now() - startedAt) / 1_000);
    const thaw = (): Promise<void> => {
      this.#isThawing = true;
      return freezer.thaw(sandbox);
    };
    try {
      // Before a change or removal the sandbox is woken even without free memory.
      const woken: Admitted = this.#standing.isReleased ? await thaw().then(admitted) : await wake(thaw);
      if (woken.is === 'busy') {
        tell('busy');
        this.#openers.answer(woken);
        return { is: 'openers', count: this.#openers.size };
      }
    } catch (error) {
      tell('failed');
      throw error;
    }
    tell('woken');
    return { is: 'thawed' };
  }

  async #ask(sandbox: RunningSandbox): Promise<Happening> {
    const askedAtMs = now();
    try {
      const { ready } = await this.#tools.guest.quiesce(sandbox);
      return ready ? { is: 'consented', askedAtMs } : { is: 'held' };
    } catch (err) {
      this.#tools.logger.debug({ err, instance: sandbox.instance }, 'a guest does not say whether it may sleep');
      return { is: 'silent' };
    }
  }

  #tell(rules: SleepRules): void {
    const hasExpired = isExpired(this.#standing, rules, now());
    const awake = this.#standing.frozen === 'no';
    const usedMsAgo = unusedMs(this.#standing, now());
    this.#tools.onNews(this.#sandbox.instance, { awake, usedMsAgo, ...(hasExpired ? { isExpired: true } : {}) });
    this.#standing = after(this.#standing, { is: 'told', isAwake: awake, isExpired: hasExpired }, now());
  }
}

const now = (): number => performance.now();

const admitted = (): Admitted => ({ is: 'admitted' });

const knownOf = ({ isAwake }: RunningSandbox): Partial<Standing> => (isAwake ? { frozen: 'no' } : {});

const rulesOf = ({ wish }: RunningSandbox): SleepRules => ({
  idleMs: wish.idleSeconds * 1_000,
  expiresIdleMs: wish.expiresIdleSeconds === undefined ? undefined : wish.expiresIdleSeconds * 1_000,
});

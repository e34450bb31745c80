// One instance, one worker, one thing at a time: look, decide, do, look again. It never dies: what the engine cannot do now
// it does later, and nothing is called failed because the engine was away.
import type { DesiredInstance, InstanceReport } from '@berth/contract';
import type { ContainerState } from '../driver/driver.ts';
import type { Observation } from '../node/report-book.ts';
import { backoffMs } from '../pace/backoff.ts';
import { Bell } from '../pace/bell.ts';
import { pause } from '../pace/pause.ts';
import { awaitListening } from './await-listening.ts';
import { type Attempt, decide, type Failure, firstAttempt, type Seen, type Step } from './decide.ts';
import { faultOf, wordsOf } from './engine-fault.ts';
import { crashLoop, outOfMemory, portClosed, restarting, startFailed } from './explain.ts';
import { HeldContainer } from './held-container.ts';
import { lastOutput } from './last-output.ts';
import { listeningPorts } from './listening-ports.ts';
import { pullUntilThere } from './pull-image.ts';
import type { ConvergeTools } from './tools.ts';

type Next = 'look again' | 'rest' | 'over';

const restMs = 600_000;
const retryMs = { first: 250, most: 15_000 };
/** In a row: then it is not bad luck. */
const mostRuntimeFaults = 3;

export class InstanceWorker {
  readonly #id: string;
  readonly #tools: ConvergeTools;
  readonly #container: HeldContainer;
  readonly #bell = new Bell();
  #desired: DesiredInstance | undefined;
  /** Aborted when what is being done is no longer wanted, or the runner stops. */
  #wish = new AbortController();
  #isClosing = false;
  #attempt: Attempt;
  /** The run that answers now, or answered last. */
  #answering: { readonly pid: number | undefined; readonly since: number } | undefined;
  #runtimeFaults = 0;
  #stages: NonNullable<InstanceReport['stages']> = {};
  #bringUpStartedAt = 0;
  #lastSaid: Observation | undefined;

  constructor(id: string, desired: DesiredInstance | undefined, tools: ConvergeTools) {
    this.#id = id;
    this.#desired = desired;
    this.#tools = tools;
    this.#container = new HeldContainer(id, tools);
    this.#attempt = { ...firstAttempt, failure: tools.failures.find(id) };
  }

  want(desired: DesiredInstance | undefined): void {
    if (desired === undefined && this.#desired !== undefined) this.#wish.abort();
    this.#desired = desired;
    this.wake();
  }

  wake(): void {
    this.#bell.ring();
  }

  /** Ends after what it is doing with the engine; the container stays as it is. */
  close(): void {
    this.#isClosing = true;
    this.#wish.abort();
    this.wake();
  }

  /** Until nothing of the instance is left, of which it tells before anyone can wish for more, or until the runner stops. */
  async run(onOver: () => void): Promise<void> {
    let failures = 0;
    while (!this.#isClosing) {
      this.#wish = new AbortController();
      try {
        const next = await this.#turn();
        failures = 0;
        if (next === 'over' && this.#desired === undefined) return onOver();
        if (next === 'rest') await this.#bell.wait(restMs);
      } catch (err) {
        failures += 1;
        this.#tools.logger.warn(
          { err, instance: this.#id },
          'the engine did not do what an instance needs; tried again',
        );
        await pause(backoffMs(failures, retryMs.first, retryMs.most, Math.random), this.#wish.signal);
      }
    }
  }

  async #turn(): Promise<Next> {
    const desired = this.#desired;
    if (desired === undefined) return this.#remove();
    const state = await this.#container.look();
    const seen = await this.#seen(state, desired);
    if (this.#attempt.failure !== undefined) this.#say('failed', this.#attempt.failure);
    return this.#do(decide(true, seen, this.#attempt), desired, state);
  }

  async #seen(state: ContainerState | undefined, desired: DesiredInstance): Promise<Seen> {
    if (state === undefined) return { status: 'absent', outOfMemory: false, isWired: false, answeredMs: undefined };
    const isWired = await this.#container.isWired(state, desired.isolation);
    const { status, outOfMemory: isOutOfMemory } = state;
    // Somebody may have started it again behind our back: that run has not answered yet.
    const isOtherRun = state.pid !== undefined && this.#answering?.pid !== state.pid;
    const since = isOtherRun ? undefined : this.#answering?.since;
    const answeredMs = since === undefined ? undefined : performance.now() - since;
    return { status, outOfMemory: isOutOfMemory, isWired, answeredMs };
  }

  async #do(step: Step, desired: DesiredInstance, state: ContainerState | undefined): Promise<Next> {
    switch (step.do) {
      case 'nothing':
        return 'rest';
      case 'create':
        return this.#create(desired);
      case 'start':
        return this.#start();
      case 'restart':
        return this.#restart(step, state);
      case 'probe':
        return this.#awaitReady(desired, state);
      case 'unpause':
        await this.#container.unpause();
        return 'look again';
      case 'discard':
        await this.#container.remove();
        return 'look again';
      case 'fail':
        return this.#fail(await this.#verdict(step, desired, state));
      case 'stop':
        await this.#container.stop();
        return 'look again';
      case 'remove':
        return this.#remove();
    }
  }

  async #create(desired: DesiredInstance): Promise<Next> {
    const { images, bringUps } = this.#tools;
    this.#say('starting');
    this.#bringUpStartedAt = performance.now();
    const { signal } = this.#wish;
    const say = (message: string) => this.#say('pulling', { message });
    const failure = await pullUntilThere({ images, image: desired.image, signal, say });
    if (failure !== undefined) return this.#fail(failure);
    if (signal.aborted) return 'look again';
    this.#stages = { pull: this.#sinceBringUp() };
    this.#say('starting');
    return this.#withEngine(() =>
      bringUps.run(async () => {
        if (signal.aborted) return;
        const startedAt = performance.now();
        await this.#container.create(desired);
        this.#stages = { ...this.#stages, create: elapsed(startedAt) };
      }),
    );
  }

  #start(): Promise<Next> {
    const { signal } = this.#wish;
    return this.#withEngine(() =>
      this.#tools.bringUps.run(async () => {
        if (signal.aborted) return;
        const startedAt = performance.now();
        this.#answering = undefined;
        await this.#container.start();
        this.#attempt = { ...this.#attempt, starts: this.#attempt.starts + 1 };
        this.#stages = { ...this.#stages, start: elapsed(startedAt) };
      }),
    );
  }

  /** What the instance itself makes impossible is its verdict; everything else is tried again. */
  async #withEngine(work: () => Promise<void>): Promise<Next> {
    try {
      await work();
      this.#runtimeFaults = 0;
      return 'look again';
    } catch (error) {
      const fault = faultOf(error);
      if (fault === 'engine') throw error;
      this.#runtimeFaults += 1;
      if (fault === 'instance' || this.#runtimeFaults >= mostRuntimeFaults)
        return this.#fail(startFailed(wordsOf(error)));
      await this.#container.remove();
      throw error;
    }
  }

  async #restart(step: Extract<Step, { do: 'restart' }>, state: ContainerState | undefined): Promise<Next> {
    const end = { exitCode: state?.exitCode, output: '' };
    this.#say('starting', { message: restarting(end) });
    this.#bringUpStartedAt = performance.now() + step.afterMs;
    const { signal } = this.#wish;
    await pause(step.afterMs, signal);
    if (signal.aborted) return 'look again';
    const { failedStarts, restarts } = step;
    if (step.isAnew) await this.#container.remove();
    const next = step.isAnew ? 'look again' : await this.#start();
    this.#answering = undefined;
    this.#attempt = { ...this.#attempt, failedStarts, restarts };
    return next;
  }

  async #awaitReady(desired: DesiredInstance, state: ContainerState | undefined): Promise<Next> {
    const address = this.#container.address;
    if (address === undefined || state === undefined) return 'look again';
    const startedAt = performance.now();
    this.#attempt = { ...this.#attempt, starts: Math.max(1, this.#attempt.starts) };
    this.#say('starting', this.#lastSaid?.state === 'starting' ? { message: this.#lastSaid.message } : {});
    const outcome = await awaitListening({
      address,
      port: desired.port,
      timeoutMs: desired.startTimeoutSeconds * 1_000,
      bell: this.#bell,
      isRunning: async () => (await this.#container.look())?.status === 'running',
      signal: this.#wish.signal,
    });
    if (outcome === 'too late') {
      const ports = state.pid === undefined ? { open: [], inner: [] } : await listeningPorts(state.pid);
      return this.#fail(portClosed(desired, ports));
    }
    if (outcome !== 'yes') return 'look again';
    this.#answering = { pid: state.pid, since: performance.now() };
    this.#attempt = { ...this.#attempt, hasAnswered: true };
    this.#stages = { ...this.#stages, ready: elapsed(startedAt) };
    this.#say('ready', { address, stages: this.#stages });
    this.#tools.onBroughtUp(this.#sinceBringUp() / 1_000);
    this.#tools.logger.info(
      { event: 'instance.ready', instance: this.#id, address, ...this.#stages },
      'instance ready',
    );
    return 'look again';
  }

  async #verdict(
    { code, failedStarts }: Extract<Step, { do: 'fail' }>,
    desired: DesiredInstance,
    state: ContainerState | undefined,
  ): Promise<Failure> {
    if (code === 'out_of_memory') return outOfMemory(desired);
    return crashLoop(failedStarts, { exitCode: state?.exitCode, output: await lastOutput(state?.logFile) });
  }

  async #fail(failure: Failure): Promise<Next> {
    await this.#tools.failures.save(this.#id, failure);
    this.#attempt = { ...this.#attempt, failure };
    this.#tools.logger.info({ event: 'instance.failed', instance: this.#id, code: failure.code }, 'instance failed');
    return 'look again';
  }

  async #remove(): Promise<Next> {
    const startedAt = performance.now();
    await this.#container.remove();
    this.#tools.failures.forget(this.#id);
    this.#attempt = firstAttempt;
    // Wanted again while it went: then this was not its end.
    if (this.#desired !== undefined) return 'look again';
    this.#tools.output.end(this.#id);
    this.#say('gone');
    const durationMs = elapsed(startedAt);
    this.#tools.logger.info({ event: 'instance.gone', instance: this.#id, durationMs }, 'instance gone');
    return 'over';
  }

  #say(
    state: Observation['state'],
    more: Partial<Pick<Observation, 'code' | 'message' | 'address' | 'stages'>> = {},
  ): void {
    const { starts } = this.#attempt;
    const observation: Observation = { state, starts, ...more };
    if (JSON.stringify(observation) === JSON.stringify(this.#lastSaid)) return;
    this.#lastSaid = observation;
    this.#tools.report(this.#id, observation);
  }

  #sinceBringUp(): number {
    return elapsed(this.#bringUpStartedAt);
  }
}

const elapsed = (since: number): number => Math.round((performance.now() - since) * 10) / 10;

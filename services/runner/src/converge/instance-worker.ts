// One instance, one worker, one thing at a time: look, decide, do, look again. It never dies: what the engine cannot do now
// it does later, and nothing is called failed because the engine was away.
import type { DesiredInstance } from '@berth/contract';
import { Bell, backoffMs, pause } from '@berth/pace';
import type { ContainerState } from '../driver/driver.ts';
import type { Endpoint } from '../ingress/endpoint.ts';
import { awaitListening } from './await-listening.ts';
import { BringUpClock, elapsedMs } from './bring-up-clock.ts';
import { type Attempt, decide, type Failure, firstAttempt, type Seen, type Step } from './decide.ts';
import { faultOf, wordsOf } from './engine-fault.ts';
import { crashLoop, outOfMemory, portClosed, restarting, startFailed } from './explain.ts';
import { HeldContainer } from './held-container.ts';
import { lastOutput } from './last-output.ts';
import { listeningPorts } from './listening-ports.ts';
import { isListening } from './probe.ts';
import { pullUntilThere } from './pull-image.ts';
import { Teller } from './teller.ts';
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
  readonly #teller: Teller;
  readonly #clock = new BringUpClock();
  readonly #bell = new Bell();
  #desired: DesiredInstance | undefined;
  /** Not wanted, but left time for what it has under way. */
  #isLeaving = false;
  /** Aborted when what is being done is no longer wanted, or the runner stops. */
  #wish = new AbortController();
  #isClosing = false;
  #attempt: Attempt;
  /** The run that answers now, or answered last. */
  #answering: { readonly pid: number | undefined; readonly since: number } | undefined;
  #runtimeFaults = 0;

  /** `isFresh`: the api has just thought of it, so nothing of it can be here. */
  constructor(id: string, desired: DesiredInstance | undefined, isFresh: boolean, tools: ConvergeTools) {
    this.#id = id;
    this.#desired = desired;
    this.#tools = tools;
    this.#container = new HeldContainer(id, isFresh, tools);
    this.#teller = new Teller(id, tools.report);
    this.#attempt = { ...firstAttempt, failure: tools.failures.find(id) };
  }

  /** Where it answers, as long as it does and is wanted: one that goes takes no new connections. */
  get endpoint(): Endpoint | undefined {
    const { address } = this.#container;
    if (this.#desired === undefined || address === undefined || this.#teller.lastState !== 'ready') return undefined;
    return { address, port: this.#desired.port };
  }

  want(desired: DesiredInstance): void {
    if (this.#desired === undefined) this.#wish.abort();
    this.#desired = desired;
    this.wake();
  }

  retire(isLeaving: boolean): void {
    if (this.#desired !== undefined || this.#isLeaving !== isLeaving) this.#wish.abort();
    this.#desired = undefined;
    this.#isLeaving = isLeaving;
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
    const { failure } = this.#attempt;
    if (failure !== undefined) this.#say('failed', failure);
    return this.#do(decide(true, await this.#seen(state, desired), this.#attempt), desired, state);
  }

  async #seen(state: ContainerState | undefined, desired: DesiredInstance): Promise<Seen> {
    if (state === undefined) return { status: 'absent', outOfMemory: false, isWired: false, answeredMs: undefined };
    // Somebody may have started it again behind our back: that run has not answered yet.
    const isOtherRun = state.pid !== undefined && this.#answering?.pid !== state.pid;
    const since = isOtherRun ? undefined : this.#answering?.since;
    return {
      status: state.status,
      outOfMemory: state.outOfMemory,
      isWired: await this.#container.isWired(state, desired.isolation),
      answeredMs: since === undefined ? undefined : performance.now() - since,
    };
  }

  async #do(step: Step, desired: DesiredInstance, state: ContainerState | undefined): Promise<Next> {
    if (step.do === 'nothing') return 'rest';
    if (step.do === 'remove') return this.#remove();
    if (step.do === 'create') return this.#create(desired);
    if (step.do === 'start') return this.#start();
    if (step.do === 'restart') return this.#restart(step, desired, state);
    if (step.do === 'probe') return this.#awaitReady(desired, state);
    if (step.do === 'fail') return this.#fail(await verdict(step, desired, state));
    if (step.do === 'unpause') await this.#container.unpause();
    if (step.do === 'discard') await this.#discard();
    if (step.do === 'stop') await this.#container.stop();
    return 'look again';
  }

  async #create(desired: DesiredInstance): Promise<Next> {
    const { images } = this.#tools;
    const { signal } = this.#wish;
    const say = (message: string) => this.#say('pulling', { message });
    this.#say('starting');
    this.#clock.begin();
    const failure = await this.#clock.measure('pull', () =>
      pullUntilThere({ images, image: desired.image, signal, say }),
    );
    if (failure !== undefined) return this.#fail(failure);
    this.#say('starting');
    return this.#withEngine(async () => {
      await this.#clock.measure('create', () => this.#container.create(desired));
      await this.#startOnce();
    });
  }

  #start(): Promise<Next> {
    return this.#withEngine(() => this.#startOnce());
  }

  async #startOnce(): Promise<void> {
    await this.#clock.measure('start', () => this.#container.start());
    this.#answering = undefined;
    this.#attempt = { ...this.#attempt, starts: this.#attempt.starts + 1 };
  }

  /** What the instance itself makes impossible is its verdict; everything else is tried again. */
  async #withEngine(work: () => Promise<void>): Promise<Next> {
    const { signal } = this.#wish;
    try {
      await this.#tools.bringUps.run(async () => {
        // It waited for its turn, and may not be wanted any more.
        if (!signal.aborted) await work();
      });
      this.#runtimeFaults = 0;
      return 'look again';
    } catch (error) {
      const fault = faultOf(error);
      if (fault === 'engine') throw error;
      this.#runtimeFaults += 1;
      const isHopeless = fault === 'instance' || this.#runtimeFaults >= mostRuntimeFaults;
      if (isHopeless) return this.#fail(startFailed(wordsOf(error)));
      await this.#container.remove();
      throw error;
    }
  }

  async #restart(
    { afterMs, isAnew, failedStarts, restarts }: Extract<Step, { do: 'restart' }>,
    desired: DesiredInstance,
    state: ContainerState | undefined,
  ): Promise<Next> {
    const { signal } = this.#wish;
    this.#say('starting', { message: restarting(desired, state) });
    this.#clock.begin(afterMs);
    await pause(afterMs, signal);
    if (signal.aborted) return 'look again';
    if (isAnew) await this.#container.remove();
    else await this.#start();
    this.#answering = undefined;
    this.#attempt = { ...this.#attempt, failedStarts, restarts };
    return 'look again';
  }

  async #awaitReady(desired: DesiredInstance, state: ContainerState | undefined): Promise<Next> {
    const address = this.#container.address;
    if (address === undefined || state === undefined) return 'look again';
    const { port, startTimeoutSeconds } = desired;
    this.#attempt = { ...this.#attempt, starts: Math.max(1, this.#attempt.starts) };
    // One that an earlier run of this process brought up answers at once: nobody should hear that it starts.
    const isTakenOver = this.#teller.lastState === undefined && (await isListening(address, port));
    if (!isTakenOver && this.#teller.lastState !== 'starting') this.#say('starting');
    const outcome = await this.#clock.measure('ready', () =>
      awaitListening({
        address,
        port,
        timeoutMs: startTimeoutSeconds * 1_000,
        bell: this.#bell,
        isRunning: async () => (await this.#container.look())?.status === 'running',
        signal: this.#wish.signal,
      }),
    );
    if (outcome === 'too late') return this.#fail(portClosed(desired, await listeningPorts(state.pid)));
    if (outcome === 'yes') this.#becomeReady(address, state);
    return 'look again';
  }

  #becomeReady(address: string, { pid }: ContainerState): void {
    const { logger, onBroughtUp } = this.#tools;
    const { stages } = this.#clock;
    this.#answering = { pid, since: performance.now() };
    this.#attempt = { ...this.#attempt, hasAnswered: true };
    this.#say('ready', { address, stages });
    onBroughtUp(this.#clock.seconds());
    logger.info({ event: 'instance.ready', instance: this.#id, address, stages }, 'instance ready');
  }

  async #fail(failure: Failure): Promise<Next> {
    await this.#tools.failures.save(this.#id, failure);
    this.#attempt = { ...this.#attempt, failure };
    this.#tools.logger.info({ event: 'instance.failed', instance: this.#id, code: failure.code }, 'instance failed');
    return 'look again';
  }

  /** Its address may soon be another's. */
  async #discard(): Promise<void> {
    this.#tools.traffic?.cut(this.#id);
    await this.#container.remove();
  }

  async #remove(): Promise<Next> {
    const { failures, output, logger, traffic } = this.#tools;
    const startedAt = performance.now();
    const { signal } = this.#wish;
    if (this.#attempt.failure === undefined) await traffic?.drain(this.#id, signal, this.#isLeaving);
    // Wanted again, in more of a hurry, or left for the next start of the runner, before anything was done to it.
    if (signal.aborted) return 'look again';
    await this.#container.remove();
    failures.forget(this.#id);
    this.#attempt = { ...firstAttempt, starts: this.#attempt.starts };
    // Wanted again while it went: then this was not its end.
    if (this.#desired !== undefined) return 'look again';
    output.end(this.#id);
    this.#say('gone');
    logger.info({ event: 'instance.gone', instance: this.#id, durationMs: elapsedMs(startedAt) }, 'instance gone');
    return 'over';
  }

  /** What is not ready has no connections: those to the run before are of no use. */
  #say(state: Parameters<Teller['say']>[0], more?: Parameters<Teller['say']>[2]): void {
    if (state !== 'ready') this.#tools.traffic?.cut(this.#id);
    this.#teller.say(state, this.#attempt.starts, more);
  }
}

async function verdict(
  { code, failedStarts }: Extract<Step, { do: 'fail' }>,
  desired: DesiredInstance,
  state: ContainerState | undefined,
): Promise<Failure> {
  if (code === 'out_of_memory') return outOfMemory(desired);
  return crashLoop(failedStarts, { exitCode: state?.exitCode, output: await lastOutput(state?.logFile) });
}

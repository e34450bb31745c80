// One worker per instance, one step at a time: inspect, decide, act, inspect again. A worker never gives up on engine
// errors: it retries with backoff, and an engine outage never marks an instance as failed.
import type { DesiredInstance, RunnerCallAnswer } from '@berth/contract';
import { Bell, backoffMs, pause } from '@berth/pace';
import type { ContainerState } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import type { Admission, Endpoint } from '../ingress/endpoint.ts';
import { BringUp } from './bring-up.ts';
import { elapsedMs } from './bring-up-clock.ts';
import { decide, type Step } from './decide.ts';
import { Doorway } from './doorway.ts';
import { portClosed, restarting } from './explain.ts';
import { HeldContainer } from './held-container.ts';
import { listeningPorts } from './listening-ports.ts';
import { RunRecord } from './run-record.ts';
import { isSandbox, SandboxInstance, type SandboxRun } from './sandbox-instance.ts';
import { Teller } from './teller.ts';
import type { ConvergeTools } from './tools.ts';
import { verdict } from './verdict.ts';

type Next = 'look again' | 'rest' | 'over';

const restMs = 600_000;
const retryMs = { first: 250, most: 15_000 };

export class InstanceWorker {
  readonly #id: string;
  readonly #tools: ConvergeTools;
  readonly #container: HeldContainer;
  readonly #sandbox: SandboxInstance | undefined;
  readonly #bringUp: BringUp;
  readonly #teller: Teller;
  readonly #bell = new Bell();
  readonly #doorway: Doorway;
  readonly #record: RunRecord;
  #desired: DesiredInstance | undefined;
  /** The instance is no longer wanted, but may finish its requests under way. */
  #isLeaving = false;
  /** Aborted when the step in progress is no longer wanted, or when the runner stops. */
  #wish = new AbortController();
  #isClosing = false;

  /** `isFresh`: the api has just created the instance, so no container of it can exist. */
  constructor(id: string, desired: DesiredInstance | undefined, isFresh: boolean, tools: ConvergeTools) {
    this.#id = id;
    this.#desired = desired;
    this.#tools = tools;
    const container = new HeldContainer(id, isFresh, tools);
    const sandbox = tools.sandboxes && new SandboxInstance(id, container, { ...tools, ...tools.sandboxes });
    this.#container = container;
    this.#sandbox = sandbox;
    this.#record = new RunRecord(tools.failures.find(id));
    this.#bringUp = new BringUp({ container, sandbox, bell: this.#bell, record: this.#record }, tools);
    this.#teller = new Teller(id, tools.report);
    this.#doorway = new Doorway(id, () => ({
      isWanted: this.#desired !== undefined && !this.#isClosing,
      failure: this.#record.failure,
      endpoint: this.#endpoint,
      generation: sandbox?.generation ?? 0,
    }));
  }

  /** Address while the instance is ready and wanted. An instance that is being removed takes no new connections. */
  get #endpoint(): Endpoint | undefined {
    const { address } = this.#container;
    const desired = this.#desired;
    if (desired === undefined || address === undefined || this.#teller.lastState !== 'ready') return undefined;
    if (isSandbox(desired) && !this.#sandbox?.isHandedOver) return undefined;
    return { address, port: desired.port };
  }

  get address(): string | undefined {
    return this.#container.address;
  }

  async open(): Promise<Admission> {
    const keeper = this.#desired?.sandbox && this.#tools.sandboxes?.keeper;
    if (keeper !== undefined) return this.#doorway.open(keeper);
    const endpoint = this.#endpoint;
    return endpoint === undefined ? { is: 'unknown' } : { is: 'open', endpoint };
  }

  /** A desired state with an older generation was overtaken by a newer one on its way here and is ignored. */
  want(desired: DesiredInstance): void {
    if (this.#desired === undefined) this.#wish.abort();
    else if (desired.generation < this.#desired.generation) return;
    this.#desired = desired;
    this.wake();
  }

  /** Unlike `want`, does not revive an instance that is being removed. Resolves once the change is applied. */
  async adopt(desired: DesiredInstance): Promise<RunnerCallAnswer> {
    if (this.#desired?.sandbox === undefined || desired.sandbox === undefined) return { call: 'unknown' };
    if (this.#doorway.isApplied(desired.generation)) return { call: 'unchanged' };
    this.want(desired);
    return this.#doorway.applied(desired.generation);
  }

  /** Ends an instance that breaks a rule of this machine, and reports the reason to its owner. */
  giveUp(failure: Failure): void {
    if (this.#desired === undefined || this.#record.failure !== undefined) return;
    this.#record.failed(failure);
    // On a full disk the failure cannot be saved: then only this process knows it.
    this.#tools.failures.save(this.#id, failure).catch(() => {});
    this.#wish.abort();
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
    this.#doorway.changed();
  }

  /** Stops after the engine call in progress. The container stays as it is. */
  close(): void {
    this.#isClosing = true;
    this.#wish.abort();
    this.wake();
  }

  /**
   * Runs until nothing of the instance is left, or until the runner stops. `gone` is reported before `onOver` drops
   * this worker, so before a new desired state can start another one.
   */
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
        const { logger } = this.#tools;
        logger.warn({ err, instance: this.#id }, 'an instance could not be made what it should be; tried again');
        await pause(backoffMs(failures, retryMs.first, retryMs.most, Math.random), this.#wish.signal);
      }
    }
  }

  async #turn(): Promise<Next> {
    const desired = this.#desired;
    if (desired === undefined) return this.#remove();
    if (await this.#changeAtOnce(desired)) return 'rest';
    const state = await this.#container.look();
    const { failure } = this.#record;
    if (failure !== undefined) this.#say('failed', failure);
    const isWired = state !== undefined && (await this.#container.wire(state, desired.isolation));
    const isKept = this.#sandbox?.isKept ?? false;
    const isAwaited = isSandbox(desired) && desired.workspaceId !== undefined && !isKept;
    const seen = this.#record.seen(state, { isWired, isKept, isAwaited });
    return this.#do(decide(true, seen, this.#record.attempt), desired, state);
  }

  async #do(step: Step, desired: DesiredInstance, state: ContainerState | undefined): Promise<Next> {
    const { signal } = this.#wish;
    if (step.do === 'nothing') return this.#keepUp(desired, state);
    if (step.do === 'remove') return this.#remove();
    if (step.do === 'create') return this.#create(desired);
    if (step.do === 'start') return this.#failIf(await this.#bringUp.start(desired, signal));
    if (step.do === 'restart') return this.#restart(step, desired, state);
    if (step.do === 'probe') return this.#awaitReady(desired, state);
    if (step.do === 'fail') return this.#fail(await verdict(step, desired, state));
    if (step.do === 'unpause') await this.#container.unpause();
    if (step.do === 'discard') await this.#discard();
    if (step.do === 'erase') await this.#container.remove(0);
    if (step.do === 'stop') await this.#container.stop();
    return 'look again';
  }

  async #create(desired: DesiredInstance): Promise<Next> {
    const { signal } = this.#wish;
    this.#say('starting');
    const failure = await this.#bringUp.pull(desired, signal, (message) => this.#say('pulling', { message }));
    if (failure !== undefined) return this.#fail(failure);
    this.#say('starting');
    return this.#failIf(await this.#bringUp.create(desired, signal));
  }

  async #restart(
    step: Extract<Step, { do: 'restart' }>,
    desired: DesiredInstance,
    state: ContainerState | undefined,
  ): Promise<Next> {
    const { signal } = this.#wish;
    const { afterMs, isAnew } = step;
    this.#say('starting', { message: restarting(desired, state) });
    await this.#sandbox?.endRun();
    this.#bringUp.clock.begin(afterMs);
    await pause(afterMs, signal);
    if (signal.aborted) return 'look again';
    if (isAnew) await this.#container.remove();
    const failure = isAnew ? undefined : await this.#bringUp.start(desired, signal);
    this.#record.restarted(step);
    return this.#failIf(failure);
  }

  async #awaitReady(desired: DesiredInstance, state: ContainerState | undefined): Promise<Next> {
    const address = this.#container.address;
    const { signal } = this.#wish;
    if (address === undefined || state === undefined) return 'look again';
    this.#record.isUp();
    if (isSandbox(desired) && (await this.#sandbox?.takeOverAsleep(desired, state))) {
      this.#becomeReady(state, address);
      return 'look again';
    }
    // A container of an earlier run of this process answers at once: `starting` must not be reported for it.
    const isTakenOver = this.#teller.lastState === undefined && (await this.#bringUp.ask(desired, address, signal));
    if (!isTakenOver && this.#teller.lastState !== 'starting') this.#say('starting');
    const outcome = await this.#bringUp.clock.measure('ready', () => this.#bringUp.answer(desired, address, signal));
    if (outcome === 'too late') return this.#fail(portClosed(desired, await listeningPorts(state.pid)));
    if (outcome === 'yes' && (await this.#change(desired, this.#sandbox?.runIn(state)))) {
      this.#becomeReady(state, address);
      this.#tools.onBroughtUp(this.#bringUp.clock.seconds());
    }
    return 'look again';
  }

  #becomeReady({ pid }: ContainerState, address: string): void {
    const { stages } = this.#bringUp.clock;
    this.#record.answers(pid);
    this.#sayReady(address);
    this.#tools.logger.info({ event: 'instance.ready', instance: this.#id, address, stages }, 'instance ready');
  }

  /** Fast path for changes that a caller waits for: no call to the engine. True when the desired state is applied. */
  async #changeAtOnce(desired: DesiredInstance): Promise<boolean> {
    const run = this.#teller.lastState === 'ready' ? this.#sandbox?.runBehind(desired) : undefined;
    if (run === undefined || this.#record.failure !== undefined) return false;
    try {
      if (!(await this.#change(desired, run))) return false;
      this.#sayReady(run.address);
      return true;
    } catch (err) {
      // The sandbox may have ended; the following inspect finds out.
      this.#tools.logger.warn({ err, instance: this.#id }, 'a sandbox could not be changed at once; looked at again');
      return false;
    }
  }

  /** Applies a pending change to a sandbox that was just inspected and runs. */
  async #keepUp(desired: DesiredInstance, state: ContainerState | undefined): Promise<Next> {
    const run = this.#sandbox?.isBehind(desired) ? this.#sandbox.runIn(state) : undefined;
    if (run === undefined || this.#record.failure !== undefined) return 'rest';
    if (await this.#change(desired, run)) this.#sayReady(run.address);
    return 'look again';
  }

  /** Applies the desired state to the run of a sandbox; false when that needs a new container. */
  async #change(desired: DesiredInstance, run: SandboxRun | undefined): Promise<boolean> {
    if (!isSandbox(desired) || this.#sandbox === undefined || run === undefined) return true;
    if (this.#sandbox.mustBeMadeAnew(desired)) {
      this.#say('starting');
      await this.#discard();
      return false;
    }
    await this.#sandbox.apply(desired, run);
    return true;
  }

  #failIf(failure: Failure | undefined): Next | Promise<Next> {
    return failure === undefined ? 'look again' : this.#fail(failure);
  }

  async #fail(failure: Failure): Promise<Next> {
    const { failures, logger } = this.#tools;
    this.#record.failed(failure);
    logger.info({ event: 'instance.failed', instance: this.#id, code: failure.code }, 'instance failed');
    // On a full disk only this process knows the failure; after a restart the runner would try the instance again.
    await failures.save(this.#id, failure).catch((err: unknown) => {
      logger.warn({ err, instance: this.#id }, 'that an instance failed could not be written down');
    });
    return 'look again';
  }

  /** Cuts connections before the container is removed, because its address may soon belong to another instance. */
  async #discard(): Promise<void> {
    this.#tools.traffic?.cut(this.#id);
    await this.#sandbox?.endRun();
    await this.#container.remove();
  }

  async #remove(): Promise<Next> {
    const { failures, output, logger, traffic, bringUps } = this.#tools;
    const startedAt = performance.now();
    const { signal } = this.#wish;
    const isOwned = this.#sandbox?.isKept === true;
    // A deleted sandbox ends at once, with all connections to it. Removing its container can wait.
    if (isOwned) {
      traffic?.cut(this.#id);
      await this.#container.kill();
    } else if (this.#record.failure === undefined) await traffic?.drain(this.#id, signal, this.#isLeaving);
    const clearAway = async (): Promise<boolean> => {
      if (signal.aborted) return false;
      await this.#container.remove();
      return true;
    };
    const isCleared = await (isOwned ? bringUps.runForLater(clearAway) : clearAway());
    // Aborted before the container was removed: it is wanted again, has to go sooner, or the runner stops.
    if (!isCleared) return 'look again';
    failures.forget(this.#id);
    this.#sandbox?.forget();
    this.#record.gone();
    // The instance became wanted again during the removal, so this is not its end.
    if (this.#desired !== undefined) return 'look again';
    output.end(this.#id);
    this.#say('gone');
    logger.info({ event: 'instance.gone', instance: this.#id, durationMs: elapsedMs(startedAt) }, 'instance gone');
    return 'over';
  }

  #sayReady(address: string): void {
    const generation = this.#sandbox?.generation ?? 0;
    this.#say('ready', { address, stages: this.#bringUp.clock.stages, ...(generation > 0 ? { generation } : {}) });
  }

  /** Cuts connections when the instance stops being ready: connections to the previous run are of no use. */
  #say(state: Parameters<Teller['say']>[0], more?: Parameters<Teller['say']>[2]): void {
    if (state !== 'ready' && this.#teller.lastState === 'ready') this.#tools.traffic?.cut(this.#id);
    this.#teller.say(state, this.#record.attempt.starts, more);
    this.#doorway.changed();
  }
}

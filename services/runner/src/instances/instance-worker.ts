// One worker per instance, one step at a time: inspect, decide, act, inspect again. A worker never gives up on engine
// errors: it retries with backoff, and an engine outage never marks an instance as failed.

import { backoffMs, Notifier, pause } from '@berth/concurrency';
import type { DesiredInstance, RunnerCallAnswer } from '@berth/contract/node';
import type { ContainerState } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import type { Admission, Endpoint } from '../ingress/endpoint.ts';
import { BringUp } from './bring-up.ts';
import { elapsedMs } from './bring-up-clock.ts';
import { decide, type Step } from './decide.ts';
import { restarting } from './explain.ts';
import { failureFor } from './failure-for.ts';
import { InstanceContainer } from './instance-container.ts';
import type { InstanceRun } from './instance-run.ts';
import { listeningPorts } from './listening-ports.ts';
import { chooseMode } from './modes/choose-mode.ts';
import type { InstanceMode, ReachableInstance } from './modes/mode.ts';
import { PendingCallers } from './pending-callers.ts';
import { recordChange } from './record-change.ts';
import { RunRecord } from './run-record.ts';
import { StatusReporter } from './status-reporter.ts';
import type { Worker } from './worker.ts';
import type { WorkerDependencies } from './worker-dependencies.ts';

type Next = 'look again' | 'rest' | 'over';

const restMs = 600_000;
const retryMs = { first: 250, max: 15_000 };

export class InstanceWorker implements Worker {
  readonly #id: string;
  readonly #deps: WorkerDependencies;
  readonly #container: InstanceContainer;
  readonly #bringUp: BringUp;
  readonly #status: StatusReporter;
  readonly #notifier = new Notifier();
  readonly #callers: PendingCallers;
  readonly #record: RunRecord;
  #mode: InstanceMode;
  #desired: ReachableInstance | undefined;
  /** The instance is no longer wanted, but may finish its requests under way. */
  #isLeaving = false;
  /** Aborted when the step in progress is no longer wanted, or when the runner stops. */
  #step = new AbortController();
  #isClosing = false;

  /** `isFresh`: the api has just created the instance, so no container of it can exist. */
  constructor(id: string, desired: ReachableInstance | undefined, isFresh: boolean, deps: WorkerDependencies) {
    this.#id = id;
    this.#desired = desired;
    this.#deps = deps;
    const container = new InstanceContainer(id, isFresh, deps);
    const record = new RunRecord(deps.failures.find(id));
    this.#container = container;
    this.#record = record;
    this.#mode = this.#chooseMode(desired);
    this.#bringUp = new BringUp({ container, record, mode: () => this.#mode, notifier: this.#notifier }, deps);
    this.#status = new StatusReporter(id, deps.report);
    this.#callers = new PendingCallers(() => ({
      isWanted: this.#desired !== undefined && !this.#isClosing,
      failure: this.#record.failure,
      endpoint: this.#endpoint,
      generation: this.#mode.generation,
    }));
  }

  #chooseMode(desired: ReachableInstance | undefined): InstanceMode {
    return chooseMode(desired, { instance: this.#id, container: this.#container, deps: this.#deps });
  }

  /** Address while the instance is ready and wanted. An instance that is being removed takes no new connections. */
  get #endpoint(): Endpoint | undefined {
    const { address } = this.#container;
    const desired = this.#desired;
    if (desired === undefined || address === undefined || this.#status.lastState !== 'ready') return undefined;
    const port = this.#mode.openPort(desired);
    return port === undefined ? undefined : { address, port };
  }

  get address(): string | undefined {
    return this.#container.address;
  }

  open(): Promise<Admission> {
    return this.#mode.open(this.#callers);
  }

  /** A desired state with an older generation was overtaken by a newer one on its way here and is ignored. */
  setDesired(desired: DesiredInstance): void {
    // A worker without a desired state removes what it finds, and a task is not run a second time.
    if (desired.mode === 'task') return;
    if (this.#desired === undefined) this.#step.abort();
    else if (desired.generation < this.#desired.generation) return;
    if (desired.mode !== this.#mode.name) this.#mode = this.#chooseMode(desired);
    this.#desired = desired;
    this.recheck();
  }

  /** Unlike `setDesired`, does not revive an instance that is being removed. Resolves once the change is applied. */
  async adopt(desired: DesiredInstance): Promise<RunnerCallAnswer> {
    const isAccepted = desired.mode === this.#mode.name && this.#mode.acceptsCalls;
    if (this.#desired === undefined || !isAccepted) return { call: 'unknown' };
    if (this.#callers.isApplied(desired.generation)) return { call: 'unchanged' };
    this.setDesired(desired);
    return this.#callers.untilApplied(desired.generation);
  }

  giveUp(failure: Failure): void {
    if (this.#desired === undefined || this.#record.failure !== undefined) return;
    this.#record.failed(failure);
    // On a full disk the failure cannot be saved: then only this process knows it.
    this.#deps.failures.save(this.#id, failure).catch(() => {});
    this.#step.abort();
    this.recheck();
  }

  retire(isLeaving: boolean): void {
    if (this.#desired !== undefined || this.#isLeaving !== isLeaving) this.#step.abort();
    this.#desired = undefined;
    this.#isLeaving = isLeaving;
    this.recheck();
  }

  recheck(): void {
    this.#notifier.notify();
    this.#callers.changed();
  }

  close(): void {
    this.#isClosing = true;
    this.#step.abort();
    this.recheck();
  }

  async run(onOver: () => void): Promise<void> {
    let failures = 0;
    while (!this.#isClosing) {
      this.#step = new AbortController();
      try {
        const next = await this.#reconcile();
        failures = 0;
        if (next === 'over' && this.#desired === undefined) return onOver();
        if (next === 'rest') await this.#notifier.wait(restMs);
      } catch (err) {
        failures += 1;
        const { logger } = this.#deps;
        logger.warn({ err, instance: this.#id }, 'reconcile of instance failed; retrying');
        await pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), this.#step.signal);
      }
    }
  }

  async #reconcile(): Promise<Next> {
    const desired = this.#desired;
    if (desired === undefined) return this.#remove();
    if (await this.#changeAtOnce(desired)) return 'rest';
    const state = await this.#container.inspect();
    const { failure } = this.#record;
    if (failure !== undefined) this.#report('failed', failure);
    const hasNetwork = state !== undefined && (await this.#container.ensureNetwork(state, desired.isolation));
    const { holdsFiles } = this.#mode;
    const isAwaited = this.#mode.isAwaited(desired);
    const observed = this.#record.observed(state, { hasNetwork, holdsFiles, isAwaited });
    return this.#do(decide(true, observed, this.#record.attempt), desired, state);
  }

  async #do(step: Step, desired: ReachableInstance, state: ContainerState | undefined): Promise<Next> {
    const { signal } = this.#step;
    if (step.do === 'nothing') return this.#keepUp(desired, state);
    if (step.do === 'remove') return this.#remove();
    if (step.do === 'create') return this.#create(desired);
    if (step.do === 'start') return this.#failIf(await this.#bringUp.start(desired, signal));
    if (step.do === 'restart') return this.#restart(step, desired, state);
    if (step.do === 'probe') return this.#awaitReady(desired, state);
    if (step.do === 'fail') return this.#fail(await failureFor(step, desired, state));
    if (step.do === 'unpause') await this.#container.unpause();
    if (step.do === 'discard') await this.#discard();
    if (step.do === 'erase') await this.#container.remove(0);
    if (step.do === 'stop') await this.#container.stop();
    return 'look again';
  }

  async #create(desired: ReachableInstance): Promise<Next> {
    const { signal } = this.#step;
    this.#report('starting');
    const failure = await this.#bringUp.pull(desired, signal, (message) => this.#report('pulling', { message }));
    if (failure !== undefined) return this.#fail(failure);
    this.#report('starting');
    return this.#failIf(await this.#bringUp.create(desired, signal));
  }

  async #restart(
    step: Extract<Step, { do: 'restart' }>,
    desired: ReachableInstance,
    state: ContainerState | undefined,
  ): Promise<Next> {
    const { signal } = this.#step;
    const { afterMs, isAnew } = step;
    this.#report('starting', { message: restarting(desired, state, this.#mode.restartNote) });
    await this.#mode.endRun();
    this.#bringUp.clock.begin(afterMs);
    await pause(afterMs, signal);
    if (signal.aborted) return 'look again';
    if (isAnew) await this.#container.remove();
    const failure = isAnew ? undefined : await this.#bringUp.start(desired, signal);
    this.#record.restarted(step);
    return this.#failIf(failure);
  }

  async #awaitReady(desired: ReachableInstance, state: ContainerState | undefined): Promise<Next> {
    const address = this.#container.address;
    const { signal } = this.#step;
    if (address === undefined || state === undefined) return 'look again';
    this.#record.foundRunning();
    if (await this.#mode.takeOver(desired, state)) {
      this.#becomeReady(desired, state, address);
      return 'look again';
    }
    // A container of an earlier run of this process answers at once: `starting` must not be reported for it.
    const isTakenOver = this.#status.lastState === undefined && (await this.#bringUp.ask(desired, address, signal));
    if (!isTakenOver && this.#status.lastState !== 'starting') this.#report('starting');
    const outcome = await this.#bringUp.clock.measure('ready', () => this.#bringUp.answer(desired, address, signal));
    if (outcome === 'too late') return this.#fail(this.#mode.noAnswer(desired, await listeningPorts(state.pid)));
    if (outcome === 'yes' && (await this.#change(desired, this.#container.runIn(state)))) {
      this.#becomeReady(desired, state, address);
      this.#broughtUp(desired);
    }
    return 'look again';
  }

  #broughtUp({ traceparent }: ReachableInstance, error?: string): void {
    const { clock } = this.#bringUp;
    const fields = { instance: this.#id, ...clock.stages };
    const name = error === undefined ? 'instance.ready' : 'instance.failed';
    recordChange(this.#deps.spans, { name, traceparent, durationMs: clock.seconds() * 1_000, fields, error });
    if (error === undefined) this.#deps.onBroughtUp(clock.seconds());
  }

  #becomeReady(desired: ReachableInstance, state: ContainerState, address: string): void {
    const { stages } = this.#bringUp.clock;
    this.#record.answers(state.pid);
    this.#mode.becameReady(desired, state);
    this.#reportReady(address);
    this.#deps.logger.info({ event: 'instance.ready', instance: this.#id, address, stages }, 'instance ready');
  }

  /** Fast path for changes that a caller waits for: no call to the engine. True when the desired state is applied. */
  async #changeAtOnce(desired: ReachableInstance): Promise<boolean> {
    const isReady = this.#status.lastState === 'ready';
    const run = isReady && this.#mode.isBehind(desired) ? this.#mode.appliedRun : undefined;
    if (run === undefined || this.#record.failure !== undefined) return false;
    try {
      if (!(await this.#change(desired, run))) return false;
      this.#reportReady(run.address);
      return true;
    } catch (err) {
      // The run may have ended; the following inspect finds out.
      this.#deps.logger.warn({ err, instance: this.#id }, 'change of running sandbox failed; inspecting it');
      return false;
    }
  }

  /** Applies a pending change to an instance that was just inspected and runs. */
  async #keepUp(desired: ReachableInstance, state: ContainerState | undefined): Promise<Next> {
    const run = this.#mode.isBehind(desired) ? this.#container.runIn(state) : undefined;
    if (run === undefined || this.#record.failure !== undefined) return 'rest';
    if (await this.#change(desired, run)) this.#reportReady(run.address);
    return 'look again';
  }

  /** Applies the desired state to the run; false when that needs a new container. */
  async #change(desired: ReachableInstance, run: InstanceRun | undefined): Promise<boolean> {
    if (run === undefined) return true;
    if (this.#mode.needsNewContainer(desired)) {
      this.#report('starting');
      await this.#discard();
      return false;
    }
    await this.#mode.apply(desired, run);
    return true;
  }

  #failIf(failure: Failure | undefined): Next | Promise<Next> {
    return failure === undefined ? 'look again' : this.#fail(failure);
  }

  async #fail(failure: Failure): Promise<Next> {
    const { failures, logger } = this.#deps;
    this.#record.failed(failure);
    logger.info({ event: 'instance.failed', instance: this.#id, code: failure.code }, 'instance failed');
    if (this.#desired !== undefined) this.#broughtUp(this.#desired, failure.code);
    // On a full disk only this process knows the failure; after a restart the runner would try the instance again.
    await failures.save(this.#id, failure).catch((err: unknown) => {
      logger.warn(
        { err, instance: this.#id },
        'failure of instance could not be saved; a restarted runner will try the instance again',
      );
    });
    return 'look again';
  }

  /** Cuts connections before the container is removed, because its address may soon belong to another instance. */
  async #discard(): Promise<void> {
    this.#deps.leases?.cut(this.#id);
    await this.#mode.endRun();
    await this.#container.remove();
  }

  async #remove(): Promise<Next> {
    const { failures, output, logger, leases, bringUps } = this.#deps;
    const startedAt = performance.now();
    const { signal } = this.#step;
    const isKilled = this.#mode.removal === 'kill';
    // An instance that is killed ends at once, with all connections to it. Removing its container can wait.
    if (isKilled) {
      leases?.cut(this.#id);
      await this.#container.kill();
    } else if (this.#record.failure === undefined) await leases?.drain(this.#id, signal, this.#isLeaving);
    const clearAway = async (): Promise<boolean> => {
      if (signal.aborted) return false;
      await this.#container.remove();
      return true;
    };
    const isCleared = await (isKilled ? bringUps.runInBackground(clearAway) : clearAway());
    // Aborted before the container was removed: it is wanted again, has to go sooner, or the runner stops.
    if (!isCleared) return 'look again';
    failures.forget(this.#id);
    this.#mode.forget();
    this.#record.gone();
    // The instance became wanted again during the removal, so this is not its end.
    if (this.#desired !== undefined) return 'look again';
    output.end(this.#id);
    this.#deps.meter?.forget(this.#id);
    this.#report('gone');
    const fields = { instance: this.#id, durationMs: elapsedMs(startedAt) };
    logger.info({ event: 'instance.gone', ...fields }, 'instance gone');
    recordChange(this.#deps.spans, { name: 'instance.gone', durationMs: fields.durationMs, fields });
    return 'over';
  }

  #reportReady(address: string): void {
    const { generation } = this.#mode;
    this.#report('ready', { address, stages: this.#bringUp.clock.stages, ...(generation > 0 ? { generation } : {}) });
  }

  /** Cuts connections when the instance stops being ready: connections to the previous run are of no use. */
  #report(state: Parameters<StatusReporter['report']>[0], more?: Parameters<StatusReporter['report']>[2]): void {
    if (state !== 'ready' && this.#status.lastState === 'ready') this.#deps.leases?.cut(this.#id);
    this.#status.report(state, this.#record.attempt.starts, more);
    this.#callers.changed();
  }
}

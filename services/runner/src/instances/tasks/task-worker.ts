// One worker per task: inspect, decide, act, inspect again. The process runs at most once. Errors of the engine are
// retried with backoff; an engine outage never ends a task.

import { backoffMs, Notifier, pause } from '@berth/concurrency';
import type { DesiredInstance, RunnerCallAnswer, TaskInstance } from '@berth/contract/node';
import type { ContainerState } from '../../driver/driver.ts';
import type { Failure } from '../../failures/failure.ts';
import type { Admission } from '../../ingress/endpoint.ts';
import { elapsedMs } from '../bring-up-clock.ts';
import { taskLost, timedOut } from '../explain.ts';
import { InstanceContainer } from '../instance-container.ts';
import { recordChange } from '../record-change.ts';
import { StatusReporter } from '../status-reporter.ts';
import type { Worker } from '../worker.ts';
import type { WorkerDependencies } from '../worker-dependencies.ts';
import { decideTask, type TaskStep } from './decide-task.ts';
import { endOfProcess } from './end-of-process.ts';
import { meterTask } from './meter-task.ts';
import { TaskBringUp } from './task-bring-up.ts';
import { endBy, type TaskEnd, taskResult, withTimes } from './task-end.ts';

type Next = 'look again' | 'rest' | 'over';

const restMs = 600_000;
const retryMs = { first: 250, max: 15_000 };

export class TaskWorker implements Worker {
  readonly #id: string;
  readonly #deps: WorkerDependencies;
  readonly #container: InstanceContainer;
  readonly #bringUp: TaskBringUp;
  readonly #status: StatusReporter;
  readonly #notifier = new Notifier();
  /** Undefined once the task is no longer wanted. It is not revived: its process may have run. */
  #desired: TaskInstance | undefined;
  #graceSeconds: number;
  /** How the task ended, as soon as that is known. */
  #end: TaskEnd | undefined;
  #isGivenUp = false;
  #hasStarted = false;
  /** Start of the process by the monotonic clock, so that a changed system time does not move the deadline. */
  #startedAt: number | undefined;
  /** Deployment time before this process asked the engine to start the task. */
  #askedMs: number | undefined;
  /** Aborted when the step in progress is no longer wanted, or when the runner stops. */
  #step = new AbortController();
  #isClosing = false;

  /** `isFresh`: the api has just created the instance, so no container of it can exist. */
  constructor(id: string, desired: TaskInstance | undefined, isFresh: boolean, deps: WorkerDependencies) {
    const file = deps.tasks.find(id);
    this.#id = id;
    this.#deps = deps;
    this.#desired = desired;
    this.#end = file?.end;
    this.#graceSeconds = desired?.graceSeconds ?? file?.graceSeconds ?? 0;
    this.#container = new InstanceContainer(id, isFresh && file === undefined, deps);
    this.#bringUp = new TaskBringUp(id, this.#container, deps);
    this.#status = new StatusReporter(id, deps.report);
  }

  get address(): string | undefined {
    return this.#container.address;
  }

  /** A task takes no connections. */
  async open(): Promise<Admission> {
    return { is: 'unknown' };
  }

  setDesired(desired: DesiredInstance): void {
    if (desired.mode !== 'task' || this.#desired === undefined) return;
    if (desired.generation < this.#desired.generation) return;
    this.#desired = desired;
    this.#graceSeconds = desired.graceSeconds;
    this.recheck();
  }

  /** A task does not change while it runs. */
  async adopt(): Promise<RunnerCallAnswer> {
    return { call: 'unknown' };
  }

  giveUp(failure: Failure): void {
    if (this.#desired === undefined) return;
    this.#isGivenUp = true;
    this.#end ??= endBy(failure, Date.now());
    this.#step.abort();
    this.recheck();
  }

  retire(): void {
    if (this.#desired !== undefined) this.#step.abort();
    this.#desired = undefined;
    this.recheck();
  }

  recheck(): void {
    this.#notifier.notify();
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
        if (next === 'over') return onOver();
        if (next === 'rest') await this.#notifier.wait(restMs);
      } catch (err) {
        failures += 1;
        this.#deps.logger.warn({ err, instance: this.#id }, 'reconcile of task failed; retrying');
        await pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), this.#step.signal);
      }
    }
  }

  async #reconcile(): Promise<Next> {
    const desired = this.#desired;
    if (desired === undefined) return this.#remove();
    const state = await this.#container.inspect();
    const isCreated = state?.status === 'created';
    this.#hasStarted ||= state?.startedAt !== undefined;
    meterTask(desired, state, this.#askedMs, this.#deps.meter);
    const step = decideTask({
      isWanted: true,
      hasFile: this.#deps.tasks.find(this.#id) !== undefined,
      hasResult: this.#end !== undefined,
      isGivenUp: this.#isGivenUp,
      container: state?.status ?? 'absent',
      hasNetwork: isCreated && (await this.#container.ensureNetwork(state, desired.isolation)),
      elapsedMs: this.#elapsedMs(state),
      timeoutMs: desired.timeoutSeconds * 1_000,
    });
    return this.#do(step, desired, state);
  }

  async #do(step: TaskStep, desired: TaskInstance, state: ContainerState | undefined): Promise<Next> {
    const { signal } = this.#step;
    if (step.do === 'remove') return this.#remove();
    if (step.do === 'create' || step.do === 'start') this.#askedMs = this.#deps.meter?.now();
    if (step.do === 'create') return this.#create(desired);
    if (step.do === 'start') return this.#endIf(await this.#bringUp.start(desired, signal));
    if (step.do === 'wait') return this.#awaitEnd(step.forMs);
    if (step.do === 'time-out') return this.#record({ reason: 'timeout', message: timedOut(desired) });
    if (step.do === 'lose') return this.#record({ reason: 'lost', message: taskLost });
    if (step.do === 'end') return this.#finish(desired, state);
    if (step.do === 'discard') await this.#bringUp.discard();
    if (step.do === 'unpause') await this.#container.unpause();
    if (step.do === 'stop') await this.#container.stop(this.#graceSeconds);
    if (step.do === 'erase') await this.#erase(state);
    return 'look again';
  }

  async #create(desired: TaskInstance): Promise<Next> {
    const { signal } = this.#step;
    this.#report('starting');
    const failure = await this.#bringUp.pull(desired, signal, (message) => this.#report('pulling', { message }));
    if (failure !== undefined) return this.#endIf(failure);
    this.#report('starting');
    return this.#endIf(await this.#bringUp.create(desired, signal));
  }

  async #awaitEnd(forMs: number): Promise<Next> {
    if (this.#status.lastState !== 'ready') {
      const { stages } = this.#bringUp.clock;
      this.#report('ready', { stages });
      if (stages.start !== undefined) this.#deps.onBroughtUp(this.#bringUp.clock.seconds());
    }
    await this.#notifier.wait(Math.min(restMs, forMs));
    return 'look again';
  }

  /** Time since the process started. */
  #elapsedMs(state: ContainerState | undefined): number {
    if (state?.status !== 'running' || state.startedAt === undefined) return 0;
    this.#startedAt ??= performance.now() - Math.max(0, Date.now() - state.startedAt);
    return performance.now() - this.#startedAt;
  }

  async #endIf(failure: Failure | undefined): Promise<Next> {
    return failure === undefined ? 'look again' : this.#record(endBy(failure, Date.now()));
  }

  /** Keeps a result that the engine does not know, for the next process of this runner too. */
  async #record(end: Omit<TaskEnd, 'endedAtMs'>): Promise<Next> {
    this.#end ??= { endedAtMs: Date.now(), ...end };
    await this.#saveEnd();
    return 'look again';
  }

  async #saveEnd(): Promise<void> {
    const file = { graceSeconds: this.#graceSeconds, end: this.#end };
    // On a full disk only this process knows the result.
    await this.#deps.tasks.save(this.#id, file).catch((err: unknown) => {
      this.#deps.logger.warn(
        { err, instance: this.#id },
        'result of task could not be saved; a restarted runner takes the exit code instead',
      );
    });
  }

  async #finish(desired: TaskInstance, state: ContainerState | undefined): Promise<Next> {
    if (this.#status.lastState === 'ended') return 'rest';
    const now = Date.now();
    if (state !== undefined) {
      this.#end ??= await endOfProcess(desired, state);
      this.#end = withTimes(this.#end, state, now);
    }
    if (this.#end === undefined) return 'look again';
    const { message } = this.#end;
    const result = taskResult(this.#end, now);
    // A short task ends before `ready` is sent, so its stages come with its result.
    const { stages } = this.#bringUp.clock;
    this.#report('ended', { result, stages, ...(message === undefined ? {} : { message }) });
    this.#deps.logger.info({ event: 'task.ended', instance: this.#id, ...result }, 'task ended');
    recordChange(this.#deps.spans, {
      ...{ name: 'task.ended', traceparent: desired.traceparent, durationMs: result.ranMs ?? 0 },
      fields: { instance: this.#id, ...result },
      ...(result.reason === 'exited' ? {} : { error: result.reason }),
    });
    return 'rest';
  }

  /** The result is saved first: the exit code is lost with the container. */
  async #erase(state: ContainerState | undefined): Promise<void> {
    if (this.#end !== undefined && state !== undefined) this.#end = withTimes(this.#end, state, Date.now());
    await this.#saveEnd();
    await this.#container.remove(0);
  }

  async #remove(): Promise<Next> {
    const { tasks, output, logger } = this.#deps;
    const startedAt = performance.now();
    await this.#container.remove(this.#graceSeconds);
    tasks.forget(this.#id);
    output.end(this.#id);
    this.#deps.meter?.forget(this.#id);
    this.#report('gone');
    logger.info({ event: 'instance.gone', instance: this.#id, durationMs: elapsedMs(startedAt) }, 'instance gone');
    return 'over';
  }

  #report(state: Parameters<StatusReporter['report']>[0], more?: Parameters<StatusReporter['report']>[2]): void {
    this.#status.report(state, this.#hasStarted || this.#end?.ranMs !== undefined ? 1 : 0, more);
  }
}

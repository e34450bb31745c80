// A stand-in for a runner: it joins an api and speaks the real node protocol, but runs a function of the test where a
// runner runs a container. The function gets the environment of the task and nothing else, as the image of a job does.
// The runner itself is tested with containers in `services/runner/test/e2e/tasks.test.ts` and `tests/e2e/jobs.test.ts`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DesiredInstance, InstanceReport, TaskEndReason, TaskInstance } from '@berth/contract/node';
import type { Machine, Stream } from '../../../services/api/test/nodes/api-with-machines.ts';

export type Environment = Readonly<Record<string, string>>;

/** An exit code, or the reason for which a runner ends a task. */
export type End = number | Exclude<TaskEndReason, 'exited'>;

export interface Image {
  /** The task is not started before this resolves. */
  readonly pull?: () => Promise<unknown>;
  readonly run: (env: Environment) => End | Promise<End>;
}

const heartbeatMs = 2_000;
/** Exit code of a process that SIGTERM has ended. */
const terminatedCode = 143;

export class StandInRunner implements AsyncDisposable {
  /** Images that can be pulled, by their reference. */
  readonly images = new Map<string, Image>();
  /** Every task that has started here, oldest first. */
  readonly started: TaskInstance[] = [];
  readonly #machine: Machine;
  readonly #stream: Stream;
  readonly #known = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #faults: unknown[] = [];
  readonly #stopping = new AbortController();
  #sequence = 0;

  private constructor(machine: Machine, stream: Stream) {
    this.#machine = machine;
    this.#stream = stream;
  }

  /** The machine offers this memory, to tasks of both isolation classes. */
  static async start(machine: Machine, memoryMb: number): Promise<StandInRunner> {
    const stream = await machine.connect({ isolation: ['runc', 'gvisor'], memoryMb, maxTasks: 50 });
    const runner = new StandInRunner(machine, stream);
    runner.#inBackground(runner.#follow());
    runner.#inBackground(runner.#beat());
    return runner;
  }

  async #follow(): Promise<void> {
    for (;;) {
      const message = await this.#stream.next();
      if (message.type === 'set') this.#begin(message.instance);
      else if (message.type === 'unset') this.#remove(message.id);
      else if (message.type === 'all') {
        for (const instance of message.instances) this.#begin(instance);
        for (const id of message.gone) this.#remove(id);
      }
    }
  }

  async #beat(): Promise<void> {
    for (;;) {
      await this.#machine.heartbeat(this.#stream.session);
      await sleep(heartbeatMs, undefined, { signal: this.#stopping.signal });
    }
  }

  /** An id runs at most once, however often the api names it. */
  #begin(instance: DesiredInstance): void {
    if (instance.mode !== 'task') throw new Error(`Only tasks run here, and ${instance.id} is none.`);
    if (this.#known.has(instance.id)) return;
    this.#known.add(instance.id);
    this.#inBackground(this.#run(instance));
  }

  #remove(id: string): void {
    if (this.#removed.has(id)) return;
    this.#removed.add(id);
    this.#inBackground(this.#report(id, { state: 'gone' }));
  }

  async #run(task: TaskInstance): Promise<void> {
    const image = this.images.get(task.image);
    if (image === undefined) return this.#end(task, 'image_missing');
    await this.#report(task.id, { state: 'pulling' });
    await image.pull?.();
    if (this.#removed.has(task.id)) return;
    await this.#report(task.id, { state: 'starting' });
    this.started.push(task);
    await this.#report(task.id, { state: 'ready' });
    const startedAt = performance.now();
    const end = await Promise.race([image.run(task.env), this.#deadline(task)]);
    await this.#end(task, end, performance.now() - startedAt);
  }

  async #deadline({ timeoutSeconds }: TaskInstance): Promise<End> {
    await sleep(timeoutSeconds * 1_000, undefined, { signal: this.#stopping.signal });
    return 'timeout';
  }

  async #end({ id }: TaskInstance, end: End, ranMs?: number): Promise<void> {
    if (this.#removed.has(id)) return;
    const times = { ...(ranMs === undefined ? {} : { ranMs }), endedMsAgo: 0 };
    const code = end === 'timeout' ? { exitCode: terminatedCode } : {};
    const how = typeof end === 'number' ? { reason: 'exited' as const, exitCode: end } : { reason: end, ...code };
    await this.#report(id, { state: 'ended', result: { ...how, ...times } });
  }

  async #report(instance: string, report: Pick<InstanceReport, 'state' | 'result'>): Promise<void> {
    this.#sequence += 1;
    const told = { instance, sequence: this.#sequence, starts: 1, ...report };
    const status = await this.#machine.report(this.#stream.session, told);
    if (status !== 200) throw new Error(`The api answered a report with ${status}.`);
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((fault) => {
      if (!this.#stopping.signal.aborted) this.#faults.push(fault);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#stream.close();
    if (this.#faults.length > 0) throw new AggregateError(this.#faults, 'The stand-in runner had faults.');
  }
}

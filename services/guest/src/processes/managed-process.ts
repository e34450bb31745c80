// One process over all its attempts: its desired state, its current attempt, and what follows when that ends. Every
// change is on disk before it takes effect, so that the next guest can continue from there.
import type { ProcessResponse } from '@berth/contract/guest';
import { environment } from '../environment.ts';
import type { Guest } from '../guest.ts';
import type { ProcessIdentity } from '../proc/process-members.ts';
import type { ProcessKey, ProcessRecord, SpawnFailure } from '../supervisor/supervisor.ts';
import { type DescriptionForm, describeProcess } from './describe-process.ts';
import { Deadline } from './end/deadline.ts';
import { type AttemptEnd, finalStatus, restartDelayMs, restartText, shouldRestart } from './end/restart-policy.ts';
import { killLeftovers, signalMembers } from './end/signal-members.ts';
import { killSignal, terminateSignal } from './end/signals.ts';
import { AttemptLogs } from './output/attempt-logs.ts';
import { followOutput } from './output/follow-output.ts';
import { logsTail } from './output/output-text.ts';
import { type Cursor, type Piece, ProcessOutput } from './output/process-output.ts';
import type { ProcessHandle } from './processes.ts';
import { newProcessKey } from './start/new-process-state.ts';
import { spawnRequest } from './start/spawn-request.ts';
import { startFailureText, startFault } from './start/start-failure.ts';
import { waitForPorts } from './start/wait-for-ports.ts';
import { ChangeListeners } from './state/change-listeners.ts';
import type { ProcessFolders } from './state/process-folders.ts';
import type { ProcessState } from './state/process-state.ts';
import { StateSaver } from './state/state-saver.ts';

export type ProcessContext = {
  guest: Guest;
  folders: ProcessFolders;
  /** Current limit for each log of a process. */
  maxLogBytes(): number;
  /** Called when the process has ended for good. */
  finished(): void;
};

const defaultGraceSeconds = 10;
const unknownEnd: AttemptEnd = { code: -1, signal: 0 };
const notFoundEnd: AttemptEnd = { code: 127, signal: 0 };

export class ManagedProcess implements ProcessHandle {
  readonly state: ProcessState;
  readonly output: ProcessOutput;
  readonly #context: ProcessContext;
  readonly #ended = Promise.withResolvers<void>();
  readonly #logs: AttemptLogs;
  readonly #saver: StateSaver;
  readonly #changes = new ChangeListeners();
  /** When the current attempt has lasted as long as it may. */
  readonly #timeLimit = new Deadline();
  /** When a stopped process is killed. */
  readonly #graceEnd = new Deadline();
  readonly #nextAttempt = new Deadline();

  constructor(state: ProcessState, context: ProcessContext) {
    this.state = state;
    this.#context = context;
    this.output = new ProcessOutput(context.folders.path(state.id), state.parts, state.markers);
    this.#logs = new AttemptLogs(state, this.output, context.folders);
    this.#saver = new StateSaver(state, context.folders, context.guest.log);
    if (state.outcome !== undefined) this.#ended.resolve();
  }

  /** Starts the first attempt. Throws a Fault when it cannot start; then nothing of the process is left. */
  async start(): Promise<void> {
    const outcome = await this.#spawn();
    if ('stage' in outcome) throw startFault(outcome, this.#attemptedCommand());
  }

  /** Continues a process that an earlier guest started. */
  resume(): void {
    const { state } = this;
    if (state.outcome !== undefined) return;
    if (state.restartAtMs !== undefined) {
      this.#restartAt(state.restartAtMs);
      return;
    }
    const record = this.#context.guest.supervisor.record(state.attempt.key);
    if (record === undefined) {
      this.#finish(unknownEnd);
      return;
    }
    this.#recordRunning(record);
    if (state.killAtMs !== undefined) this.#killAt(state.killAtMs);
    if (record.exit !== undefined) this.attemptEnded(record);
  }

  isRunning(): boolean {
    return this.state.outcome === undefined;
  }

  /** A process holds its name until it is asked to stop or is killed. */
  holdsName(): boolean {
    return this.isRunning() && this.state.desired === 'run';
  }

  identity(): Required<ProcessIdentity> & { key: ProcessKey; startTicks: number } {
    const { pid, key, startTicks } = this.state.attempt;
    return { pid, key, startTicks };
  }

  async describe(form: DescriptionForm): Promise<ProcessResponse> {
    return describeProcess(this.state, this.output, form);
  }

  ended(): Promise<void> {
    return this.#ended.promise;
  }

  portsReady(ports: readonly number[], until?: AbortSignal): Promise<void> {
    return waitForPorts(this, this.#changes, ports, until);
  }

  newestLogs(maxBytes: number): string {
    return [...logsTail(this.output, maxBytes, true)].join('');
  }

  isTimedOut(): boolean {
    return this.state.timedOut;
  }

  /** Output from a cursor on, as it arrives, until the process has ended and all of it is delivered. */
  follow(from: Cursor, until: AbortSignal): AsyncGenerator<Piece[]> {
    return followOutput(this, this.#context.guest.supervisor, from, until);
  }

  /** Calls `changed` at each change except output. The result ends the subscription. */
  watch(changed: () => void): () => void {
    return this.#changes.add(changed);
  }

  stop(graceSeconds = defaultGraceSeconds): boolean {
    if (!this.isRunning()) return false;
    if (this.state.desired === 'run') {
      this.state.desired = 'stopped';
      this.#logs.mark('[Process is being gracefully terminated]', false);
    }
    this.state.killAtMs = Date.now() + graceSeconds * 1000;
    this.#saver.save();
    if (this.#finishBetweenAttempts()) return true;
    signalMembers(this.#context.guest.supervisor, this.identity(), terminateSignal);
    this.#killAt(this.state.killAtMs);
    this.#changes.notify();
    return true;
  }

  kill(): boolean {
    if (!this.isRunning()) return false;
    this.state.desired = 'killed';
    this.#killNow();
    return true;
  }

  signal(signal: number): boolean {
    if (!this.isRunning() || this.state.restartAtMs !== undefined) return false;
    if (!this.state.signals.includes(signal)) this.state.signals.push(signal);
    this.#saver.save();
    return this.#context.guest.supervisor.signal(this.state.attempt.key, signal);
  }

  /** Called only with a record of this process's own key. */
  attemptEnded(record: ProcessRecord): void {
    const { exit, ends } = record;
    if (exit === undefined || !this.isRunning()) return;
    this.#recordIdentity(record);
    this.#timeLimit.cancel();
    if (this.state.desired !== 'run') killLeftovers(this.identity(), this.state.killAtMs);
    if (!shouldRestart(this.state, exit)) {
      this.#finish(exit);
      this.forgetWhenSettled(record);
      return;
    }
    this.#logs.close(ends);
    this.#restartLater(exit);
  }

  /** A server that the process left in the background goes on writing: until it ends, the helper must keep the logs. */
  forgetWhenSettled(record: ProcessRecord): void {
    if (record.isSettled) this.#context.guest.supervisor.forget(record.key);
  }

  trimEarlierAttempts(maxBytes: number): void {
    this.#logs.trimEarlier(maxBytes);
  }

  #restartLater(end: AttemptEnd): void {
    // Leftover processes of the last attempt may still hold the ports that the next one needs.
    killLeftovers(this.identity(), Date.now());
    this.#logs.mark(restartText(this.state, end), true);
    this.state.restartAtMs = Date.now() + restartDelayMs;
    this.#saver.save();
    this.#context.guest.supervisor.forget(this.state.attempt.key);
    this.#restartAt(this.state.restartAtMs);
    this.#changes.notify();
  }

  #restartAt(timeMs: number): void {
    this.#nextAttempt.set(timeMs, () => void this.#restart());
  }

  async #restart(): Promise<void> {
    delete this.state.restartAtMs;
    this.state.restartCount += 1;
    const outcome = await this.#spawn();
    if (!('stage' in outcome)) return;
    this.#logs.mark(`[${startFailureText(outcome, this.#attemptedCommand())}]`, true);
    if (!shouldRestart(this.state, notFoundEnd)) {
      this.#finish(notFoundEnd);
      return;
    }
    this.#logs.close({ stdout: 0, stderr: 0, all: 0 });
    this.#restartLater(notFoundEnd);
  }

  async #spawn(): Promise<ProcessRecord | SpawnFailure> {
    const { state } = this;
    const { folders, guest, maxLogBytes } = this.#context;
    const key = newProcessKey();
    state.attempt = { key, pid: 0, startTicks: 0, startedAtMs: Date.now() };
    this.#logs.add(key);
    const saves = this.#saver.count;
    const logFolder = await folders.begin(state, key);
    if (typeof logFolder !== 'string') return { stage: 'log', errno: logFolder.errno };
    // The state changed meanwhile, for example by a stop: the copy saved above is outdated.
    if (this.#saver.count !== saves) this.#saver.save();
    const attempt = { key, logFolder, maxLogBytes: maxLogBytes(), inherited: environment };
    const outcome = await guest.supervisor.spawn(key, spawnRequest(state, guest.settings, attempt));
    if (!('stage' in outcome)) this.#recordRunning(outcome);
    return outcome;
  }

  /** Runs twice when a process ends at once: its exit may arrive before the answer to the spawn request. */
  #recordIdentity({ pid, startTicks }: ProcessRecord): void {
    this.state.attempt.pid = pid;
    this.state.attempt.startTicks = startTicks;
    if (this.state.pid === 0) this.state.pid = pid;
  }

  #recordRunning(record: ProcessRecord): void {
    const { state } = this;
    if (!this.isRunning() || state.restartAtMs !== undefined) return;
    this.#recordIdentity(record);
    this.#timeLimit.cancel();
    if (state.killAfterSeconds > 0) {
      this.#timeLimit.set(state.attempt.startedAtMs + state.killAfterSeconds * 1000, () => this.#timeOut());
    }
    // A caller may have stopped the process while it was starting: then it is signalled now.
    if (state.desired === 'stopped') signalMembers(this.#context.guest.supervisor, this.identity(), terminateSignal);
    if (state.desired === 'killed') signalMembers(this.#context.guest.supervisor, this.identity(), killSignal);
    this.#changes.notify();
  }

  #timeOut(): void {
    if (!this.isRunning()) return;
    this.state.timedOut = true;
    this.kill();
  }

  #killAt(timeMs: number): void {
    this.#graceEnd.set(timeMs, () => {
      if (this.isRunning()) this.#killNow();
    });
  }

  #killNow(): void {
    this.#logs.mark('[Process is being forcefully killed]', false);
    this.state.killAtMs = Date.now();
    this.#saver.save();
    if (this.#finishBetweenAttempts()) return;
    signalMembers(this.#context.guest.supervisor, this.identity(), killSignal);
    this.#changes.notify();
  }

  /** Between two attempts there is no process to signal, so the process ends right away. */
  #finishBetweenAttempts(): boolean {
    if (this.state.restartAtMs === undefined) return false;
    this.#nextAttempt.cancel();
    this.#finish(unknownEnd);
    return true;
  }

  #finish(end: AttemptEnd): void {
    this.#timeLimit.cancel();
    this.#graceEnd.cancel();
    delete this.state.restartAtMs;
    this.state.outcome = { status: finalStatus(this.state, end), exitCode: end.code, completedAtMs: Date.now() };
    this.#saver.save();
    this.#ended.resolve();
    this.#changes.notify();
    this.#context.finished();
  }

  #attemptedCommand() {
    const { command, workingDirectory } = this.state;
    return { command, workingDirectory, shell: this.#context.guest.settings.shell.program };
  }
}

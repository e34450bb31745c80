// One process over all its attempts: its desired state, its current attempt, and what follows when that ends. Every
// change is on disk before it takes effect, so that the next guest can continue from there.
import { randomBytes } from 'node:crypto';
import type { ProcessResponse } from '@berth/contract/guest';
import { environment } from '../environment.ts';
import type { Guest } from '../guest.ts';
import { Fault } from '../http/fault.ts';
import type { ProcessIdentity } from '../proc/process-members.ts';
import type { ProcessKey, ProcessRecord, SpawnFailure } from '../supervisor/supervisor.ts';
import { type DescriptionForm, describeProcess } from './describe-process.ts';
import { callAt } from './end/deadline.ts';
import {
  type AttemptEnd,
  finalStatus,
  killSignal,
  restartDelayMs,
  restartText,
  shouldRestart,
  terminateSignal,
} from './end/restart-policy.ts';
import { killLeftovers, signalMembers } from './end/signal-members.ts';
import { followOutput } from './output/follow-output.ts';
import { logsTail } from './output/output-text.ts';
import { type Cursor, type Piece, ProcessOutput } from './output/process-output.ts';
import type { ProcessHandle } from './processes.ts';
import { processEnvironment } from './start/process-environment.ts';
import { startFailureText, startFault } from './start/start-failure.ts';
import type { ProcessFolders } from './state/process-folders.ts';
import type { ProcessState } from './state/process-state.ts';

export type ProcessContext = {
  guest: Guest;
  folders: ProcessFolders;
  /** Current limit for each log of a process. */
  maxLogBytes(): number;
  /** Called when the process has ended for good. */
  finished(): void;
};

const defaultGraceSeconds = 10;
const portsPollMs = 200;
// Bounds a process that keeps failing: its oldest attempts are dropped, and readers see a gap.
const maxAttempts = 50;
const lastOutputBytes = 2000;
const unknownEnd: AttemptEnd = { code: -1, signal: 0 };
const notFoundEnd: AttemptEnd = { code: 127, signal: 0 };

export const newKey = (): ProcessKey => randomBytes(8).toString('hex');

export class ManagedProcess implements ProcessHandle {
  readonly state: ProcessState;
  readonly output: ProcessOutput;
  readonly #context: ProcessContext;
  readonly #ended = Promise.withResolvers<void>();
  readonly #watchers = new Set<() => void>();
  #saves = 0;
  #cancelKill = () => {};
  #cancelGrace = () => {};
  #cancelRestart = () => {};

  constructor(state: ProcessState, around: ProcessContext) {
    this.state = state;
    this.#context = around;
    this.output = new ProcessOutput(around.folders.path(state.id), state.parts, state.markers);
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

  async portsReady(ports: readonly number[], until?: AbortSignal): Promise<void> {
    const { portsReady } = await import('../ports/served-ports.ts');
    while (!until?.aborted) {
      if (!this.isRunning()) throw this.#endedBeforePorts(ports);
      if (this.state.attempt.pid > 0 && portsReady(this.identity(), ports)) return;
      await this.#changeWithin(portsPollMs);
    }
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
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  stop(graceSeconds = defaultGraceSeconds): boolean {
    if (!this.isRunning()) return false;
    if (this.state.desired === 'run') {
      this.state.desired = 'stopped';
      this.#mark('[Process is being gracefully terminated]', false);
    }
    this.state.killAtMs = Date.now() + graceSeconds * 1000;
    this.#save();
    if (this.#finishBetweenAttempts()) return true;
    signalMembers(this.#context.guest.supervisor, this.identity(), terminateSignal);
    this.#killAt(this.state.killAtMs);
    this.#changed();
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
    this.#save();
    return this.#context.guest.supervisor.signal(this.state.attempt.key, signal);
  }

  /** Called only with a record of this process's own key. */
  attemptEnded(record: ProcessRecord): void {
    const { exit, ends } = record;
    if (exit === undefined || !this.isRunning()) return;
    this.#recordIdentity(record);
    this.#cancelKill();
    const part = this.state.parts.at(-1);
    if (this.state.desired !== 'run') killLeftovers(this.identity(), this.state.killAtMs);
    if (!shouldRestart(this.state, exit)) {
      this.#finish(exit);
      this.forgetWhenSettled(record);
      return;
    }
    if (part !== undefined) part.ends = ends;
    this.#restartLater(exit);
  }

  /** A server that the process left in the background goes on writing: until it ends, the helper must keep the logs. */
  forgetWhenSettled(record: ProcessRecord): void {
    if (record.isSettled) this.#context.guest.supervisor.forget(record.key);
  }

  /** All earlier attempts together may keep `maxBytes`: the oldest are dropped first. */
  trimEarlierAttempts(maxBytes: number): void {
    const earlier = this.state.parts.slice(0, -1);
    let kept = 0;
    for (const part of earlier.toReversed()) {
      kept += this.output.logOf(part, 'all').keptBytes();
      if (kept > maxBytes) this.#context.folders.removeLogFolder(this.state.id, part.name);
    }
  }

  #restartLater(end: AttemptEnd): void {
    // Leftover processes of the last attempt may still hold the ports that the next one needs.
    killLeftovers(this.identity(), Date.now());
    this.#mark(restartText(this.state, end), true);
    this.state.restartAtMs = Date.now() + restartDelayMs;
    this.#save();
    this.#context.guest.supervisor.forget(this.state.attempt.key);
    this.#restartAt(this.state.restartAtMs);
    this.#changed();
  }

  #restartAt(timeMs: number): void {
    this.#cancelRestart = callAt(timeMs, () => void this.#restart());
  }

  async #restart(): Promise<void> {
    delete this.state.restartAtMs;
    this.state.restartCount += 1;
    const outcome = await this.#spawn();
    if (!('stage' in outcome)) return;
    this.#mark(`[${startFailureText(outcome, this.#attemptedCommand())}]`, true);
    if (!shouldRestart(this.state, notFoundEnd)) {
      this.#finish(notFoundEnd);
      return;
    }
    const part = this.state.parts.at(-1);
    if (part !== undefined) part.ends = { stdout: 0, stderr: 0, all: 0 };
    this.#restartLater(notFoundEnd);
  }

  async #spawn(): Promise<ProcessRecord | SpawnFailure> {
    const { state } = this;
    const { folders, guest, maxLogBytes } = this.#context;
    const key = newKey();
    state.attempt = { key, pid: 0, startTicks: 0, startedAtMs: Date.now() };
    this.#addPart(key);
    const saves = this.#saves;
    const logFolder = await folders.begin(state, key);
    if (typeof logFolder !== 'string') return { stage: 'log', errno: logFolder.errno };
    // The state changed meanwhile, for example by a stop: the copy saved above is outdated.
    if (this.#saves !== saves) this.#save();
    const outcome = await guest.supervisor.spawn(key, {
      args: [guest.settings.shell.program, ...guest.settings.shell.args, state.command],
      env: processEnvironment({
        inherited: environment,
        requested: state.env,
        key,
        workloadUser: guest.settings.workloadUser,
      }),
      workingDirectory: state.workingDirectory,
      logFolder,
      maxLogBytes: maxLogBytes(),
      input: state.takesInput ? 'pipe' : 'none',
    });
    if (!('stage' in outcome)) this.#recordRunning(outcome);
    return outcome;
  }

  #addPart(name: string): void {
    const { parts, markers } = this.state;
    const last = parts.at(-1);
    const base = { stdout: 0, stderr: 0, all: 0 };
    for (const log of ['stdout', 'stderr', 'all'] as const)
      base[log] = (last?.base[log] ?? 0) + (last?.ends?.[log] ?? 0);
    parts.push({ name, base, ends: undefined });
    if (parts.length <= maxAttempts) return;
    for (const part of parts.splice(0, parts.length - maxAttempts)) {
      this.#context.folders.removeLogFolder(this.state.id, part.name);
    }
    const oldest = parts[0]?.base.all ?? 0;
    markers.splice(
      0,
      Math.max(
        0,
        markers.findIndex(({ at }) => at >= oldest),
      ),
    );
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
    this.#cancelKill();
    if (state.killAfterSeconds > 0) {
      this.#cancelKill = callAt(state.attempt.startedAtMs + state.killAfterSeconds * 1000, () => this.#timeOut());
    }
    // A caller may have stopped the process while it was starting: then it is signalled now.
    if (state.desired === 'stopped') signalMembers(this.#context.guest.supervisor, this.identity(), terminateSignal);
    if (state.desired === 'killed') signalMembers(this.#context.guest.supervisor, this.identity(), killSignal);
    this.#changed();
  }

  #timeOut(): void {
    if (!this.isRunning()) return;
    this.state.timedOut = true;
    this.kill();
  }

  #killAt(timeMs: number): void {
    this.#cancelGrace();
    this.#cancelGrace = callAt(timeMs, () => {
      if (this.isRunning()) this.#killNow();
    });
  }

  #killNow(): void {
    this.#mark('[Process is being forcefully killed]', false);
    this.state.killAtMs = Date.now();
    this.#save();
    if (this.#finishBetweenAttempts()) return;
    signalMembers(this.#context.guest.supervisor, this.identity(), killSignal);
    this.#changed();
  }

  /** Between two attempts there is no process to signal, so the process ends right away. */
  #finishBetweenAttempts(): boolean {
    if (this.state.restartAtMs === undefined) return false;
    this.#cancelRestart();
    this.#finish(unknownEnd);
    return true;
  }

  #finish(end: AttemptEnd): void {
    this.#cancelKill();
    this.#cancelGrace();
    delete this.state.restartAtMs;
    this.state.outcome = { status: finalStatus(this.state, end), exitCode: end.code, completedAtMs: Date.now() };
    this.#save();
    this.#ended.resolve();
    this.#changed();
    this.#context.finished();
  }

  #mark(text: string, breaks: boolean): void {
    const { markers } = this.state;
    const last = this.state.parts.at(-1);
    const at = last?.ends === undefined ? this.output.markerOffset() : last.base.all + last.ends.all;
    markers.push({ id: (markers.at(-1)?.id ?? -1) + 1, at, text, breaks });
  }

  /** On a full disk a process can still be stopped; only a guest that starts afterwards would not know of it. */
  #save(): void {
    this.#saves += 1;
    try {
      this.#context.folders.save(this.state);
    } catch (error) {
      this.#context.guest.log.line('guest', { level: 'error', event: 'state not saved', error: String(error) });
    }
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #changeWithin(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const unwatch = this.watch(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      unwatch();
    });
  }

  #attemptedCommand() {
    const { command, workingDirectory } = this.state;
    return { command, workingDirectory, shell: this.#context.guest.settings.shell.program };
  }

  #endedBeforePorts(ports: readonly number[]): Fault {
    const { name, outcome } = this.state;
    const last = [...logsTail(this.output, lastOutputBytes)].join('').trimEnd();
    const ended = `Process ${name} ended with exit code ${outcome?.exitCode ?? -1} before it served port ${ports.join(', ')}.`;
    return new Fault(422, last ? `${ended} Its last output: ${last}` : `${ended} It printed nothing.`);
  }
}

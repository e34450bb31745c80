import { randomInt } from 'node:crypto';
import type { ProcessRequest } from '@berth/contract/guest';
import type { Guest } from '../guest.ts';
import { Fault } from '../http/fault.ts';
import { resolveGiven } from '../paths.ts';
import { createSemaphore } from '../semaphore.ts';
import { Sweeper } from './accounting/sweeper.ts';
import { ManagedProcess, type ProcessContext } from './managed-process.ts';
import type { Processes } from './processes.ts';
import { newProcessState } from './start/new-process-state.ts';
import { ProcessFolders } from './state/process-folders.ts';

const sweepIntervalMs = 5000;
const quietSweepIntervalMs = 60_000;
const nameLetters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const nameLength = 8;
/** Each takes some milliseconds of the helper, one after the other: those that wait can still be cancelled. */
const startsAtOnce = 8;
/** Of starts that may still be on their way. */
const maxCancelled = 10_000;
const never = new AbortController().signal;

/** Nobody reads it, but a request that has joined the start of another one. */
class CallerLeft extends Error {}
const callerLeft = () => new CallerLeft('The caller left before the process started.');

const managers = new WeakMap<Guest, Promise<ProcessManager>>();

/** One manager per guest: every call returns the same one. */
export function processManagerOf(guest: Guest): Promise<ProcessManager> {
  const known = managers.get(guest);
  if (known !== undefined) return known;
  const made = createManager(guest);
  managers.set(guest, made);
  // A failure is not cached: its cause may be gone at the next call.
  made.catch(() => managers.delete(guest));
  return made;
}

async function createManager(guest: Guest): Promise<ProcessManager> {
  const manager = new ProcessManager(guest);
  await manager.resume();
  return manager;
}

export class ProcessManager implements Processes {
  readonly #guest: Guest;
  readonly #folders: ProcessFolders;
  readonly #sweeper: Sweeper;
  readonly #processes = new Map<string, ManagedProcess>();
  /** By name, until they run. */
  readonly #starting = new Map<string, Promise<ManagedProcess>>();
  /** Names whose start was killed before it was here. */
  readonly #cancelled = new Set<string>();
  readonly #inTurn = createSemaphore(startsAtOnce, callerLeft);
  #sweepTimer: NodeJS.Timeout | undefined;
  #isSweepSoon = false;
  #endPressureWatch: (() => void) | undefined;

  constructor(guest: Guest) {
    this.#guest = guest;
    this.#folders = new ProcessFolders(guest.settings.stateFolder);
    this.#sweeper = new Sweeper(guest);
    guest.supervisor.onExit((record) => {
      for (const process of this.#processes.values()) {
        if (process.state.attempt.key === record.key) process.attemptEnded(record);
      }
    });
    guest.stopping.addEventListener('abort', () => {
      clearTimeout(this.#sweepTimer);
      this.#endPressureWatch?.();
    });
  }

  async resume(): Promise<void> {
    const saved = [...this.#folders.saved()];
    if (saved.length === 0) return;
    const { ProcessState } = await import('./state/process-state.ts');
    for (const { id, text } of saved) {
      const parsed = ProcessState.safeParse(jsonOf(text));
      if (parsed.success) this.#processes.set(id, new ManagedProcess(parsed.data, this.#context()));
      else this.#folders.remove(id);
    }
    for (const process of this.#processes.values()) process.resume();
    await this.#watchPressure();
    this.#sweepSoon();
  }

  /**
   * A request that is repeated finds the process that it has started. One that has ended is known until its output is removed. Nothing
   * is started for a caller that has left before its turn: it asks again, or wants nothing any more.
   */
  async startOnce(request: ProcessRequest, left: AbortSignal): Promise<ManagedProcess> {
    const { name = '' } = request;
    for (;;) {
      if (this.#cancelled.has(name)) throw new Fault(400, 'The process was killed before it started.');
      const known = this.#starting.get(name) ?? this.find(name);
      if (known === undefined) return this.start(request, left);
      try {
        return await known;
      } catch (error) {
        // The start that this request has joined was given up by its own caller alone.
        if (!(error instanceof CallerLeft)) throw error;
      }
    }
  }

  /** Kills the process of that name, which `startOnce` starts, or sees to it that none starts. */
  async cancel(name: string): Promise<void> {
    this.#cancelled.add(name);
    const [oldest = ''] = this.#cancelled;
    if (this.#cancelled.size > maxCancelled) this.#cancelled.delete(oldest);
    const started = await this.#starting.get(name)?.catch(() => undefined);
    (started ?? this.find(name))?.kill();
  }

  start(request: ProcessRequest, left = never): Promise<ManagedProcess> {
    const starting = this.#start(request, left);
    const { name } = request;
    // A refused start is not the one that holds the name.
    if (name === undefined || this.#starting.has(name)) return starting;
    this.#starting.set(name, starting);
    const done = () => this.#starting.delete(name);
    starting.then(done, done);
    return starting;
  }

  async #start(request: ProcessRequest, left: AbortSignal): Promise<ManagedProcess> {
    const { settings } = this.#guest;
    if (request.keepAlive && settings.keepAliveDisabled) {
      throw new Fault(400, 'keepAlive is disabled on this sandbox. Start the process without it.');
    }
    const name = request.name ?? this.#freeName();
    const holder = this.#holderOf(name);
    if (holder !== undefined) {
      throw new Fault(
        400,
        `Process with name '${name}' already exists and is running (pid ${holder.state.pid}). Stop it, or choose another name.`,
      );
    }
    const workingDirectory = resolveGiven(request.workingDir || '.', settings).absolute;
    const process = new ManagedProcess(newProcessState(request, name, workingDirectory), this.#context());
    // Listed before the first await, so that a second start with the same name finds it.
    this.#processes.set(process.state.id, process);
    try {
      await this.#watchPressure();
      await this.#inTurn(left, async () => {
        if (left.aborted) throw callerLeft();
        await process.start();
      });
    } catch (error) {
      this.#drop(process.state.id);
      throw error;
    }
    this.#sweepSoon();
    return process;
  }

  /** Oldest first. */
  list(): readonly ManagedProcess[] {
    return [...this.#processes.values()].filter(({ state }) => state.pid > 0);
  }

  find(identifier: string): ManagedProcess | undefined {
    const found = /^\d+$/.test(identifier)
      ? this.list().filter(({ state }) => String(state.pid) === identifier)
      : this.list().filter(({ state }) => state.name === identifier);
    return found.toSorted((a, b) => a.state.startedAtMs - b.state.startedAtMs).at(-1);
  }

  /** Removes an ended process, as if it had never existed. */
  forget({ state }: ManagedProcess): void {
    this.#drop(state.id);
  }

  keepAliveHolds(): number {
    return this.list().filter((process) => process.state.keepAlive && process.isRunning()).length;
  }

  #holderOf(name: string): ManagedProcess | undefined {
    return [...this.#processes.values()].find((process) => process.state.name === name && process.holdsName());
  }

  #freeName(): string {
    const letters = Array.from({ length: nameLength }, () => nameLetters[randomInt(nameLetters.length)]);
    const name = `proc-${letters.join('')}`;
    return this.#holderOf(name) === undefined ? name : this.#freeName();
  }

  #context(): ProcessContext {
    return {
      guest: this.#guest,
      folders: this.#folders,
      maxLogBytes: () => this.#sweeper.logLimit(this.#processes.size),
      finished: () => this.#sweepSoon(),
    };
  }

  #drop(id: string): void {
    const process = this.#processes.get(id);
    if (process === undefined) return;
    this.#guest.supervisor.forget(process.state.attempt.key);
    this.#processes.delete(id);
    this.#folders.remove(id);
  }

  /** Sweeps every five seconds while a process runs, every minute while any is listed, and not at all otherwise. */
  #sweepSoon(isSoon = true): void {
    if (this.#guest.stopping.aborted) return;
    if (this.#sweepTimer !== undefined && (this.#isSweepSoon || !isSoon)) return;
    clearTimeout(this.#sweepTimer);
    this.#isSweepSoon = isSoon;
    this.#sweepTimer = setTimeout(() => void this.#sweep(), isSoon ? sweepIntervalMs : quietSweepIntervalMs);
  }

  /** Watches memory while a process runs, under gVisor only: there, running out of memory ends the whole sandbox. */
  async #watchPressure(): Promise<void> {
    if (this.#endPressureWatch !== undefined) return;
    const { isGvisor, watchPressure } = await import('./accounting/watch-memory-pressure.ts');
    if (this.#endPressureWatch === undefined)
      this.#endPressureWatch = isGvisor() ? watchPressure(this.#guest) : () => {};
  }

  async #sweep(): Promise<void> {
    if (this.#guest.supervisor.records().every(({ isSettled }) => isSettled)) {
      this.#endPressureWatch?.();
      this.#endPressureWatch = undefined;
    }
    try {
      await this.#sweeper.sweep(this.list(), (id) => this.#drop(id));
    } catch (error) {
      // Usually a full disk. Logs that cannot be trimmed now are tried again with the next sweep.
      this.#guest.log.line('guest', { level: 'error', event: 'logs not trimmed', error: String(error) });
    }
    this.#sweepTimer = undefined;
    if (this.#processes.size > 0) this.#sweepSoon(this.list().some((process) => process.isRunning()));
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Runs every few seconds: drops finished processes that are old enough, and keeps all logs together within their
// budget. Logs may lie in memory, so those of finished processes count like the others.
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Guest } from '../../guest.ts';
import type { ProcessRecord } from '../../supervisor/supervisor.ts';
import type { ProcessOutput } from '../output/process-output.ts';
import type { ProcessState } from '../state/process-state.ts';
import {
  finishedToDrop,
  type KeptLogs,
  type LogBudget,
  logBytesEach,
  logsToDrop,
  minLogBytes,
  totalLogBytes,
} from './retention.ts';
import { trimLog } from './trim-log.ts';

const logNames = ['stdout', 'stderr', 'all'] as const;

type SweptProcess = {
  state: Pick<ProcessState, 'id' | 'outcome' | 'attempt' | 'parts'>;
  output: ProcessOutput;
  isRunning(): boolean;
  trimEarlierAttempts(maxBytes: number): void;
  forgetWhenSettled(record: ProcessRecord): void;
};

export class Sweeper {
  readonly #budget: LogBudget;
  readonly #guest: Guest;
  /** Finished processes are measured once for each limit: nothing is added to their logs. */
  readonly #kept = new Map<string, { limit: number; bytes: number }>();
  readonly #limits = new Map<string, number>();

  constructor(guest: Guest) {
    this.#guest = guest;
    const { maxBytesPerFile, maxBytesTotal, maxPercentOfMemory } = guest.settings.logs;
    this.#budget = { maxBytesPerFile, maxBytesTotal, maxPercentOfMemory, memoryBytes: memoryBytes() };
  }

  /** Limit of each log while so many processes are listed. One that was not measured since its end counts as running. */
  logLimit(processes: number): number {
    const finishedBytes = [...this.#kept.values()].map(({ bytes }) => bytes);
    return logBytesEach(this.#budget, Math.max(0, processes - finishedBytes.length), finishedBytes);
  }

  /** Other requests get a turn between two processes, because each look at a log is a disk access. */
  async sweep(processes: readonly SweptProcess[], drop: (id: string) => void): Promise<void> {
    const finished = processes.flatMap(({ state: { id, outcome } }) =>
      outcome === undefined ? [] : [{ id, completedAtMs: outcome.completedAtMs }],
    );
    const dropped = new Set(finishedToDrop(finished, Date.now()));
    for (const id of dropped) {
      await setImmediate();
      drop(id);
      this.#kept.delete(id);
    }
    await this.#shareLogs(processes.filter(({ state }) => !dropped.has(state.id)));
  }

  async #shareLogs(processes: readonly SweptProcess[]): Promise<void> {
    const limit = this.logLimit(processes.length);
    // Above the smallest share, the shares add up to no more than the total.
    const mayBeTooMuch = limit === minLogBytes;
    let runningBytes = 0;
    const finished: KeptLogs[] = [];
    for (const process of processes) {
      await setImmediate();
      const { id, outcome } = process.state;
      if (outcome === undefined || !this.#isSettled(process)) {
        this.#limit(process, limit);
        if (mayBeTooMuch) runningBytes += bytesOf(process);
      } else {
        finished.push({ id, completedAtMs: outcome.completedAtMs, keptBytes: this.#trim(process, limit) });
      }
    }
    if (!mayBeTooMuch) return;
    const byId = new Map(processes.map((process) => [process.state.id, process]));
    for (const id of logsToDrop(finished, runningBytes, totalLogBytes(this.#budget))) {
      await setImmediate();
      const process = byId.get(id);
      if (process !== undefined) this.#kept.set(id, { limit: 0, bytes: trimTo(process, 0) });
    }
  }

  /**
   * The helper trims the logs that it still writes; logs of earlier attempts are no longer written and trimmed here.
   */
  #limit(process: SweptProcess, limit: number): void {
    const { key } = process.state.attempt;
    if (this.#limits.get(process.state.id) !== limit) {
      if (this.#guest.supervisor.record(key) !== undefined) this.#guest.supervisor.limitLog(key, limit);
      this.#limits.set(process.state.id, limit);
    }
    process.trimEarlierAttempts(limit);
  }

  /**
   * True when nothing writes to the logs any more. While a background server still holds them, the record is refreshed
   * for a later sweep.
   */
  #isSettled(process: SweptProcess): boolean {
    const { key } = process.state.attempt;
    const record = this.#guest.supervisor.record(key);
    if (record === undefined) return true;
    void this.#guest.supervisor.refresh(key).then((fresh) => {
      if (fresh !== undefined && !process.isRunning()) process.forgetWhenSettled(fresh);
    });
    return false;
  }

  #trim(process: SweptProcess, limit: number): number {
    const { id } = process.state;
    this.#limits.delete(id);
    const known = this.#kept.get(id);
    // Files are looked at again only when one of them may be too long now: most processes print little.
    if (known !== undefined && (known.limit <= limit || known.bytes <= limit)) return known.bytes;
    const bytes = trimTo(process, limit);
    this.#kept.set(id, { limit, bytes });
    return bytes;
  }
}

function bytesOf(process: SweptProcess): number {
  return process.state.parts
    .flatMap((part) => logNames.map((name) => process.output.logOf(part, name).keptBytes()))
    .reduce((sum, bytes) => sum + bytes, 0);
}

function trimTo(process: SweptProcess, limit: number): number {
  process.trimEarlierAttempts(limit);
  const last = process.state.parts.at(-1);
  if (last !== undefined) {
    for (const name of logNames) {
      const log = process.output.logOf(last, name);
      if (log.keptBytes() > limit) trimLog(log, name, limit);
    }
  }
  return bytesOf(process);
}

/** Memory of the sandbox: its limit, or that of the whole machine. */
function memoryBytes(): number | undefined {
  const limits = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'].map((path) =>
    Number(firstWord(path)),
  );
  const total = Number(/^MemTotal:\s+(\d+)/m.exec(text('/proc/meminfo'))?.[1] ?? Number.NaN) * 1024;
  const known = [...limits, total].filter((bytes) => Number.isFinite(bytes) && bytes > 0);
  return known.length === 0 ? undefined : Math.min(...known);
}

const firstWord = (path: string): string => text(path).trim() || 'none';

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

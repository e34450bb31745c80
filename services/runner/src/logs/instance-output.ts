// Sends the output of one instance, container after container, one batch at a time. Lines that are not stored yet
// stay on disk, not in memory.
import { rm } from 'node:fs/promises';
import { Notifier } from '@berth/concurrency';
import type { LogLine } from '@berth/contract/node';
import { archiveLogs, type LogArchive, removeArchive } from './log-archive.ts';
import { loadCursor, saveCursor } from './log-cursor.ts';
import { LogRate, type RateRules } from './log-rate.ts';
import { type LogSource, liveSource } from './log-source.ts';
import { OutputReader } from './output-reader.ts';

export interface OutputOptions {
  readonly instance: string;
  readonly folder: string;
  readonly archives: readonly LogArchive[];
  /** Sends once. Resolves when the lines are stored or can never be stored; rejects when they can be sent again. */
  readonly send: (instance: string, lines: readonly LogLine[]) => Promise<void>;
  /** Pause before the next try. */
  readonly rest: (failures: number) => Promise<void>;
  readonly rate: RateRules;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

const pollMs = { often: 200, seldom: 1_000 };
/** After this many polls without new output, polling once a second is enough. */
const quietLooks = 10;
const archiveDays = 3;

export class InstanceOutput {
  readonly #options: OutputOptions;
  readonly #notifier = new Notifier();
  readonly #rate: LogRate;
  #archives: LogArchive[];
  #live: LogSource | undefined;
  #isOver = false;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#rate = new LogRate(options.rate);
    this.#archives = [...options.archives];
  }

  follow(container: string, logFile: string): void {
    const isKnown = this.#live?.container === container || this.#archives.some((each) => each.container === container);
    if (isKnown) return;
    this.#live = liveSource(container, logFile);
    this.#notifier.notify();
  }

  async keep(container: string, logFile: string): Promise<void> {
    if (this.#archives.some((archive) => archive.container === container)) return;
    const { folder, now } = this.#options;
    this.#archives.push(await archiveLogs(folder, container, logFile, now()));
    if (this.#live?.container === container) this.#live = undefined;
    this.#notifier.notify();
  }

  /** No further container follows: once the remaining output is sent, the instance's folder is removed. */
  end(): void {
    this.#isOver = true;
    this.#notifier.notify();
  }

  async run(onOver: () => void): Promise<void> {
    const { folder, signal } = this.#options;
    const reader = new OutputReader(await loadCursor(folder));
    try {
      for (let quiet = 0; !signal.aborted; ) {
        const source = this.#archives[0] ?? this.#live;
        if (source === undefined && this.#isOver) break;
        const hasMore = source !== undefined && (await this.#advance(reader, source));
        quiet = hasMore ? 0 : quiet + 1;
        if (!hasMore) await this.#notifier.wait(quiet > quietLooks ? pollMs.seldom : pollMs.often, signal);
      }
    } finally {
      await reader.close();
    }
    if (signal.aborted) return;
    onOver();
    await rm(folder, { recursive: true, force: true });
  }

  /** False when there is nothing more to read for now. */
  async #advance(reader: OutputReader, source: LogSource): Promise<boolean> {
    const batch = await reader.read(source);
    const lines = this.#rate.limit(batch.lines, batch.isEnd);
    const isStored = lines.length === 0 || (await this.#deliver(reader, source, lines));
    if (!isStored) return false;
    if (batch.lines.length > 0) await saveCursor(this.#options.folder, batch.cursor);
    // If `keep` archived the container meanwhile, the next round reads the same files from the archive and finds
    // their end.
    if (!batch.isEnd) return batch.lines.length > 0;
    await this.#dropOldest(reader);
    return true;
  }

  /** False when the runner stops first. */
  async #deliver(reader: OutputReader, source: LogSource, lines: readonly LogLine[]): Promise<boolean> {
    const { instance, send, rest, signal } = this.#options;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await send(instance, lines);
        return true;
      } catch {
        await rest(failures);
        if (this.#isTooOld()) return true;
        await reader.notice(source).catch(() => {});
      }
    }
    return false;
  }

  #isTooOld(): boolean {
    const [archive] = this.#archives;
    return archive !== undefined && this.#options.now() - archive.archivedAtMs > archiveDays * 86_400_000;
  }

  async #dropOldest(reader: OutputReader): Promise<void> {
    await reader.close();
    const archive = this.#archives.shift();
    if (archive !== undefined) await removeArchive(archive);
  }
}

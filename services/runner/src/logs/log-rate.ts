// Limits how much of an instance's output is sent: a token bucket in bytes, filled by the times at which the engine
// wrote the lines. The container cannot choose these times, and output that waited while the api was unreachable is
// judged by when it was written, not by when it is sent. A note takes the number of a dropped line, so that numbers
// neither repeat nor shift.
import type { LogLine } from '@berth/contract/node';

export interface RateRules {
  readonly bytesPerSecond: number;
  readonly onDropped: (bytes: number) => void;
}

/** Size of a burst, in seconds of the rate. */
const burstSeconds = 10;
/** Counted for each line beside its text: a line takes room however short it is. */
const lineBytes = 64;
const noteEveryMs = 1_000;

interface Dropped {
  readonly bytes: number;
  readonly lines: number;
  readonly sinceMs: number;
  readonly last: LogLine;
}

export class LogRate {
  readonly #rules: RateRules;
  #tokens: number;
  #atMs = 0;
  /** Stays true until a second's worth of tokens is there again; otherwise single lines would pass between notes. */
  #isDropping = false;
  #dropped: Dropped | undefined;

  constructor(rules: RateRules) {
    this.#rules = rules;
    this.#tokens = rules.bytesPerSecond * burstSeconds;
  }

  /** Returns the lines to send, in order, with notes where lines are missing. `isEnd` means that no line follows. */
  limit(lines: readonly LogLine[], isEnd: boolean): LogLine[] {
    const sent: LogLine[] = [];
    for (const line of lines) {
      const ms = this.#refill(line);
      const bytes = Buffer.byteLength(line.text) + lineBytes;
      if (this.#passes(bytes)) sent.push(...this.#note(), line);
      else {
        this.#drop(line, bytes, ms);
        if (ms - (this.#dropped?.sinceMs ?? ms) >= noteEveryMs) sent.push(...this.#note());
      }
    }
    return isEnd ? [...sent, ...this.#note()] : sent;
  }

  #refill({ timeNs }: LogLine): number {
    const { bytesPerSecond } = this.#rules;
    const ms = Math.max(this.#atMs, Number(BigInt(timeNs) / 1_000_000n));
    const gained = this.#atMs === 0 ? 0 : ((ms - this.#atMs) * bytesPerSecond) / 1_000;
    this.#tokens = Math.min(bytesPerSecond * burstSeconds, this.#tokens + gained);
    this.#atMs = ms;
    return ms;
  }

  #passes(bytes: number): boolean {
    const needed = this.#isDropping ? Math.max(bytes, this.#rules.bytesPerSecond) : bytes;
    this.#isDropping = this.#tokens < needed;
    if (!this.#isDropping) this.#tokens -= bytes;
    return !this.#isDropping;
  }

  #drop(line: LogLine, bytes: number, ms: number): void {
    this.#rules.onDropped(bytes);
    const { bytes: before = 0, lines = 0, sinceMs = ms } = this.#dropped ?? {};
    this.#dropped = { bytes: before + bytes, lines: lines + 1, sinceMs, last: line };
  }

  #note(): LogLine[] {
    if (this.#dropped === undefined) return [];
    const { bytes, lines, last } = this.#dropped;
    this.#dropped = undefined;
    const limit = this.#rules.bytesPerSecond;
    const text =
      `[${bytes} bytes of output in ${lines} lines were dropped: more than ${limit} bytes per second ` +
      '(runner.logBytesPerSecond). Write less, or ask the operator to raise the limit.]';
    return [{ ...last, stream: 'stderr', text }];
  }
}

// How much of an instance's output is sent: a token bucket in bytes, filled by the times at which the engine wrote the lines.
// Those are not the container's to choose, and output that waited while the api was away is judged as it was written, not as
// it is sent. A note takes the number of a line that was dropped, so that numbers neither repeat nor shift.
import type { LogLine } from '@berth/contract';

export interface RateRules {
  readonly bytesPerSecond: number;
  readonly onDropped: (bytes: number) => void;
}

/** What may be written at once, in seconds of the rate. */
const burstSeconds = 10;
/** A line takes room however short it is. */
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
  /** Lasts until a second's worth is there again: otherwise single lines would pass between notes. */
  #isDropping = false;
  #dropped: Dropped | undefined;

  constructor(rules: RateRules) {
    this.#rules = rules;
    this.#tokens = rules.bytesPerSecond * burstSeconds;
  }

  /** The lines that are sent, in order; notes stand where something is missing. `isEnd`: no line follows. */
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

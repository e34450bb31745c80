// Sends matches out of the worker: in batches, and no faster than they are read.
import { type Credit, maxBatchesUnread, type WorkerReport } from './search-job.ts';

const batchBytes = 64 * 1024;
// A waiting batch is sent after this time even if it is not full: the first results are worth more than full batches.
const maxBatchWaitMs = 100;

export class MatchSink {
  readonly #credit: Credit;
  readonly #post: (report: WorkerReport) => void;
  readonly #maxResults: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #count = 0;
  #sentAt = performance.now();

  constructor(credit: Credit, maxResults: number, post: (report: WorkerReport) => void) {
    this.#credit = credit;
    this.#maxResults = maxResults;
    this.#post = post;
  }

  /** False when no more matches are wanted. */
  add(match: object): boolean {
    const json = JSON.stringify(match);
    this.#waiting.push(json);
    this.#waitingBytes += json.length;
    this.#count += 1;
    if (this.#waitingBytes >= batchBytes) this.#send(false, false);
    return this.#count !== this.#maxResults;
  }

  /** Must be called now and then, also when nothing is found: sends a batch that has waited long enough. */
  tick(): void {
    if (this.#waiting.length > 0 && performance.now() - this.#sentAt > maxBatchWaitMs) this.#send(false, false);
  }

  end(truncated: boolean): void {
    this.#send(true, truncated);
  }

  #send(last: boolean, truncated: boolean): void {
    for (;;) {
      const unread = Atomics.load(this.#credit, 0);
      if (unread < maxBatchesUnread) break;
      Atomics.wait(this.#credit, 0, unread);
    }
    Atomics.add(this.#credit, 0, 1);
    this.#post({ json: this.#waiting.join(','), count: this.#waiting.length, last, truncated });
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#sentAt = performance.now();
  }
}

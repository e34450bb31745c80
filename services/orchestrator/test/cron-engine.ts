// The part of the durable engine that schedules need, on a test clock: delayed sends with ids that are remembered for a
// day. A send that is lost, and an engine that has lost everything, are cases of the test.
import type { Timer } from '../src/run/timers.ts';

const dayMs = 86_400_000;

export class TestTimers {
  readonly #armed = new Map<string, number>();
  readonly #handled = new Map<string, number>();

  arm(timers: readonly Timer[], now: number): void {
    for (const { id, delayMs } of timers) {
      if (this.#armed.has(id) || now - (this.#handled.get(id) ?? -dayMs) < dayMs) continue;
      this.#armed.set(id, now + delayMs);
    }
  }

  /** A message without a delay. */
  send(now: number): void {
    this.#armed.set(`sent-${now}`, now);
  }

  next(): number {
    return Math.min(...this.#armed.values());
  }

  /** Removes the messages that are due; false when there are none. */
  take(now: number): boolean {
    const due = [...this.#armed].filter(([, at]) => at <= now);
    for (const [id] of due) {
      this.#armed.delete(id);
      this.#handled.set(id, now);
    }
    return due.length > 0;
  }

  loseEverything(): void {
    this.#armed.clear();
    this.#handled.clear();
  }
}

import { backoffMs } from '@berth/concurrency';

/** Above this number the refusals do not concern single messages: the engine is not set up. */
const maxRows = 1_000;

interface Refusal {
  readonly failures: number;
  readonly until: number;
}

/** Rows that the engine refused. They wait aside with a backoff; as the oldest rows they would block the others. */
export class RefusedRows {
  readonly #rows = new Map<number, Refusal>();

  /** False when there is no room left. */
  add(id: number, now: number): boolean {
    const failures = (this.#rows.get(id)?.failures ?? 0) + 1;
    if (failures === 1 && this.#rows.size >= maxRows) return false;
    this.#rows.set(id, { failures, until: now + backoffMs(failures, 250, 30_000, Math.random) });
    return true;
  }

  remove(id: number): void {
    this.#rows.delete(id);
  }

  waiting(now: number): number[] {
    return [...this.#rows].filter(([, { until }]) => until > now).map(([id]) => id);
  }
}

import { backoffMs } from '@berth/concurrency';

/** Above this number the refusals do not concern single messages: the engine is not set up. */
const maxRows = 1_000;

interface Refusal {
  readonly failures: number;
  readonly until: number;
  /** When the row was written. */
  readonly since: number;
}

/** A refusal that was not repeated for as long after its pause: another relay has sent the row. */
const forgottenMs = 60_000;

/** Rows that the engine refused. They wait aside with a backoff; as the oldest rows they would block the others. */
export class RefusedRows {
  readonly #rows = new Map<number, Refusal>();

  /** False when there is no room left. */
  add(id: number, now: number, ageMs: number): boolean {
    const failures = (this.#rows.get(id)?.failures ?? 0) + 1;
    if (failures === 1 && this.#rows.size >= maxRows) return false;
    this.#rows.set(id, { failures, until: now + backoffMs(failures, 250, 30_000, Math.random), since: now - ageMs });
    return true;
  }

  remove(id: number): void {
    this.#rows.delete(id);
  }

  /** Age of the oldest row; undefined without rows. */
  oldestMs(now: number): number | undefined {
    const since = [...this.#rows.values()].filter(({ until }) => until > now - forgottenMs).map((row) => row.since);
    return since.length === 0 ? undefined : now - Math.min(...since);
  }

  waiting(now: number): number[] {
    return [...this.#rows].filter(([, { until }]) => until > now).map(([id]) => id);
  }
}

// Counts the requests to each workload by minute, for `GET /observability/metrics`. A request only increments counters in
// memory. Every ten seconds the counters that changed are written as they are, so that a write that is repeated or lost
// changes nothing; a minute that is over and written is dropped.
import { settlesWithin } from '@berth/concurrency';
import type { Logger } from '@berth/telemetry';
import type { RequestRow } from '@berth/usage';
import type { Outcome } from '../proxy/outcome.ts';
import {
  addRequest,
  beginMinute,
  type CountedWorkload,
  isChanged,
  minuteMs,
  rowOf,
  type WorkloadMinute,
} from './workload-minute.ts';

export interface RequestCounts {
  /**
   * Counts a request at its end. Synchronous; makes no query. Status 0 means that the client left before there was a
   * response. `elapsedMs` includes the time that the request waited for an instance.
   */
  count(workload: CountedWorkload, status: number, elapsedMs: number, outcome: Outcome | undefined): void;
  /** Writes the counters that changed, or waits for the write that is under way. */
  flush(): Promise<void>;
  /** Writes the remaining counters, unless that takes too long. */
  close(): Promise<void>;
}

export interface RequestCountsOptions {
  /** Throws when rows may not be stored. */
  readonly write: (rows: readonly RequestRow[]) => Promise<void>;
  readonly logger: Logger;
  /** Called once, and again when the clock was set back. */
  readonly newRunId: () => string;
  readonly now?: () => number;
  readonly maxEntries?: number;
  /** Time that the last write may take. */
  readonly closeMs?: number;
}

const flushMs = 10_000;
/** Minutes that are kept while they cannot be written. */
const maxMinutes = 10;
/** Rows per insert. */
const batch = 1_000;

export function createRequestCounts(options: RequestCountsOptions): RequestCounts {
  const { write, logger, newRunId, now = Date.now, maxEntries = 10_000, closeMs = 5_000 } = options;
  /** The latest minute of each workload, by its uid. */
  const open = new Map<string, WorkloadMinute>();
  let ended: WorkloadMinute[] = [];
  let runId = newRunId();
  let latestMinute = 0;
  let missed = 0;
  let writing: Promise<void> | undefined;
  const currentMinute = (): number => Math.floor(now() / minuteMs);

  /** Undefined when there is no room. */
  function begin(
    workload: CountedWorkload,
    minute: number,
    previous: WorkloadMinute | undefined,
  ): WorkloadMinute | undefined {
    if (open.size + ended.length >= maxEntries) return undefined;
    if (previous !== undefined) ended.push(previous);
    // The clock was set back. Counters that begin again under the same id would replace those of that minute.
    if (minute < latestMinute) runId = newRunId();
    latestMinute = minute;
    const counters = beginMinute({ workload, minute, runId });
    open.set(workload.uid, counters);
    return counters;
  }

  function endMinutes(): void {
    const minute = currentMinute();
    for (const [uid, counters] of open) {
      if (counters.minute === minute) continue;
      open.delete(uid);
      ended.push(counters);
    }
  }

  async function writeChanged(): Promise<void> {
    endMinutes();
    const changed = [...ended, ...open.values()].filter(isChanged);
    for (let from = 0; from < changed.length; from += batch) {
      const part = changed.slice(from, from + batch);
      const rows = part.map(rowOf);
      await write(rows);
      for (const [index, counters] of part.entries()) counters.written = rows[index]?.requests ?? 0;
    }
  }

  function dropOld(): void {
    const oldest = currentMinute() - maxMinutes;
    const old = ended.filter((counters) => counters.minute < oldest && isChanged(counters));
    if (old.length === 0) return;
    ended = ended.filter((counters) => counters.minute >= oldest);
    const requests = old.reduce((sum, counters) => sum + counters.requests - counters.written, 0);
    logger.warn(
      { event: 'gateway.request_counts_dropped', requests },
      `request counts could not be written for ${maxMinutes} minutes; they are dropped`,
    );
  }

  function warnOfMissed(): void {
    if (missed === 0) return;
    logger.warn(
      { event: 'gateway.request_counts_missed', missed },
      'request count table in memory is full; requests to further workloads are not counted',
    );
    missed = 0;
  }

  function flush(): Promise<void> {
    warnOfMissed();
    writing ??= writeChanged()
      .catch((err: unknown) => {
        logger.warn({ err, event: 'gateway.request_counts_failed' }, 'request counts could not be written; retrying');
        dropOld();
      })
      .finally(() => {
        ended = ended.filter(isChanged);
        writing = undefined;
      });
    return writing;
  }

  const timer = setInterval(() => void flush(), flushMs).unref();
  return {
    count(workload, status, elapsedMs, outcome) {
      const minute = currentMinute();
      const known = open.get(workload.uid);
      const counters = known?.minute === minute ? known : begin(workload, minute, known);
      if (counters === undefined) missed += 1;
      else addRequest(counters, status, elapsedMs, outcome);
    },
    flush,
    async close() {
      clearInterval(timer);
      // A write that is under way lacks the latest requests.
      await settlesWithin(closeMs, Promise.resolve(writing).then(flush));
    },
  };
}

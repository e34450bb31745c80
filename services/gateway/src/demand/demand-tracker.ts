// Counts concurrent requests per workload through this gateway. The tracker writes the count when the number of needed
// instances changes, and at once when it grows. It also repeats the count periodically: a gateway that stops repeating
// has died.
import { pause } from '@berth/concurrency';
import type { Logger } from '@berth/telemetry';
import { PeakWindow, windowParts } from './peak-window.ts';
import type { DemandEntry } from './write-demand.ts';

export interface DemandTrackerOptions {
  readonly requestsPerInstance: number;
  readonly idleMs: number;
  /** Throws when the entries were not written. */
  readonly write: (entries: readonly DemandEntry[]) => Promise<void>;
  readonly logger: Logger;
}

export interface DemandTracker {
  /** Counts a request; the returned function ends it. */
  enter(uid: string): () => void;
  /** Writes the demand once more, when no instance has answered although the demand was written before. */
  requestAgain(uid: string): void;
  close(): Promise<void>;
}

interface TrackedWorkload {
  readonly window: PeakWindow;
  /** Number of requests as last written. */
  lastWritten: number;
}

/** Reason for a write: the demand has grown, it is repeated periodically, or an earlier write had no effect. */
type Reason = 'grown' | 'periodic' | 'unanswered';

const retryMs = 250;

export function createDemandTracker({
  requestsPerInstance,
  idleMs,
  write,
  logger,
}: DemandTrackerOptions): DemandTracker {
  const tracked = new Map<string, TrackedWorkload>();
  const due = new Map<string, Reason>();
  const closing = new AbortController();
  let writing: Promise<void> | undefined;
  const instances = (requests: number): number => Math.ceil(requests / requestsPerInstance);

  /** Runs one statement at a time; entries that arrive during a write go out together in the next one. */
  function flush(): void {
    writing ??= writeDue().finally(() => {
      writing = undefined;
      if (due.size > 0 && !closing.signal.aborted) flush();
    });
  }

  async function writeDue(): Promise<void> {
    const entries = [...due].flatMap(([uid, reason]) => entryFor(uid, reason));
    const reasons = new Map(due);
    due.clear();
    if (entries.length === 0) return;
    try {
      await write(entries);
      for (const { uid, requests } of entries) {
        const known = tracked.get(uid);
        if (known !== undefined) known.lastWritten = requests;
      }
    } catch (err) {
      logger.warn({ err }, 'demand of workloads could not be written; retrying');
      for (const { uid } of entries) due.set(uid, due.get(uid) ?? reasons.get(uid) ?? 'periodic');
      await pause(retryMs, closing.signal);
    }
  }

  function entryFor(uid: string, reason: Reason): readonly DemandEntry[] {
    const known = tracked.get(uid);
    if (known === undefined) return [];
    const requests = known.window.peak;
    const isChange = reason === 'unanswered' || instances(requests) !== instances(known.lastWritten);
    // An earlier write has already covered this growth while the entry waited.
    return reason === 'grown' && !isChange ? [] : [{ uid, requests, isChange }];
  }

  function rotateWindows(): void {
    for (const [uid, { window, lastWritten }] of tracked) {
      window.turn();
      if (window.peak > 0 || lastWritten > 0) due.set(uid, due.get(uid) ?? 'periodic');
      else tracked.delete(uid);
    }
    if (due.size > 0) flush();
  }

  const rotation = setInterval(rotateWindows, idleMs / windowParts).unref();
  return {
    enter(uid) {
      let known = tracked.get(uid);
      if (known === undefined) {
        known = { window: new PeakWindow(), lastWritten: 0 };
        tracked.set(uid, known);
      }
      const { window } = known;
      window.enter();
      if (instances(window.peak) > instances(known.lastWritten)) {
        due.set(uid, due.get(uid) ?? 'grown');
        flush();
      }
      return () => window.leave();
    },
    requestAgain(uid) {
      due.set(uid, 'unanswered');
      flush();
    },
    async close() {
      closing.abort();
      clearInterval(rotation);
      await writing;
    },
  };
}

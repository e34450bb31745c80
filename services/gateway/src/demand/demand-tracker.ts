// Counts concurrent requests per workload through this gateway. The book writes the count when the number of needed
// instances changes, and at once when it grows. It also repeats the count periodically: a gateway that stops repeating
// has died.
import { pause } from '@berth/pace';
import type { Logger } from '@berth/telemetry';
import { PeakWindow, windowParts } from './peak-window.ts';
import type { DemandEntry } from './write-demand.ts';

export interface DemandBookOptions {
  readonly requestsPerInstance: number;
  readonly idleMs: number;
  /** Throws when the entries were not written. */
  readonly write: (entries: readonly DemandEntry[]) => Promise<void>;
  readonly logger: Logger;
}

export interface DemandBook {
  /** Counts a request; the returned function ends it. */
  enter(uid: string): () => void;
  /** Writes the demand once more, when no instance has answered although the demand was written before. */
  insist(uid: string): void;
  close(): Promise<void>;
}

interface Asked {
  readonly window: PeakWindow;
  /** Number of requests as last written. */
  told: number;
}

/** Reason for a write: the demand has grown, it is repeated periodically, or an earlier write had no effect. */
type Reason = 'grown' | 'again' | 'unheard';

const retryMs = 250;

export function createDemandBook({ requestsPerInstance, idleMs, write, logger }: DemandBookOptions): DemandBook {
  const asked = new Map<string, Asked>();
  const due = new Map<string, Reason>();
  const closing = new AbortController();
  let writing: Promise<void> | undefined;
  const instances = (requests: number): number => Math.ceil(requests / requestsPerInstance);

  /** Runs one statement at a time; entries that arrive during a write go out together in the next one. */
  function tell(): void {
    writing ??= writeDue().finally(() => {
      writing = undefined;
      if (due.size > 0 && !closing.signal.aborted) tell();
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
        const known = asked.get(uid);
        if (known !== undefined) known.told = requests;
      }
    } catch (err) {
      logger.warn({ err }, 'what is asked of workloads could not be told; tried again');
      for (const { uid } of entries) due.set(uid, due.get(uid) ?? reasons.get(uid) ?? 'again');
      await pause(retryMs, closing.signal);
    }
  }

  function entryFor(uid: string, reason: Reason): readonly DemandEntry[] {
    const known = asked.get(uid);
    if (known === undefined) return [];
    const requests = known.window.peak;
    const isNews = reason === 'unheard' || instances(requests) !== instances(known.told);
    // An earlier write has already covered this growth while the entry waited.
    return reason === 'grown' && !isNews ? [] : [{ uid, requests, isNews }];
  }

  function turn(): void {
    for (const [uid, { window, told }] of asked) {
      window.turn();
      if (window.peak > 0 || told > 0) due.set(uid, due.get(uid) ?? 'again');
      else asked.delete(uid);
    }
    if (due.size > 0) tell();
  }

  const turning = setInterval(turn, idleMs / windowParts).unref();
  return {
    enter(uid) {
      let known = asked.get(uid);
      if (known === undefined) {
        known = { window: new PeakWindow(), told: 0 };
        asked.set(uid, known);
      }
      const { window } = known;
      window.enter();
      if (instances(window.peak) > instances(known.told)) {
        due.set(uid, due.get(uid) ?? 'grown');
        tell();
      }
      return () => window.leave();
    },
    insist(uid) {
      due.set(uid, 'unheard');
      tell();
    },
    async close() {
      closing.abort();
      clearInterval(turning);
      await writing;
    },
  };
}

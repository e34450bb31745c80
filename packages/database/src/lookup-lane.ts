import { Semaphore } from '@berth/concurrency';

/** The lane is full. The database itself may be fine. */
export class LaneFull extends Error {
  constructor() {
    super('Too many questions about unknown keys and names are open.');
    this.name = 'LaneFull';
  }
}

/** Created once: in a flood, the stack trace of every refusal would cost more than the refusal. */
export const laneFull = new LaneFull();

export interface LookupLane {
  /** Checked before `ask`, so that nothing is prepared for a question that would be refused. */
  readonly isFull: boolean;
  /** Rejects with LaneFull when the lane is full, or when this question has waited too long for its turn. */
  ask<Answer>(question: () => Promise<Answer>): Promise<Answer>;
}

export interface LookupLaneOptions {
  readonly maxRunning: number;
  readonly maxWaiting: number;
  /**
   * Questions that waited longer are refused when their turn comes, so that a slow lane empties instead of answering
   * all of them late.
   */
  readonly maxWaitMs?: number;
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Bounds the share of the database that unauthenticated requests get: some of their lookups run, some wait, the rest is
 * refused. Without it, a flood of invented keys or names would queue in front of known callers.
 */
export function createLookupLane({
  maxRunning,
  maxWaiting,
  maxWaitMs = 1_000,
  now = () => performance.now(),
}: LookupLaneOptions): LookupLane {
  const limit = new Semaphore(maxRunning);
  let open = 0;
  const isFull = (): boolean => open >= maxRunning + maxWaiting;
  return {
    get isFull() {
      return isFull();
    },
    async ask(question) {
      if (isFull()) throw laneFull;
      open += 1;
      const since = now();
      try {
        return await limit.run(() => (now() - since > maxWaitMs ? Promise.reject(laneFull) : question()));
      } finally {
        open -= 1;
      }
    },
  };
}

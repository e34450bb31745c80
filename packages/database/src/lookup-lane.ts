import { Limit } from '@berth/pace';

/** Refuses a question that nobody has a right to yet; it says nothing about the database, which may be well. */
export class LaneFull extends Error {
  constructor() {
    super('Too many questions about unknown keys and names are open.');
    this.name = 'LaneFull';
  }
}

export interface LookupLane {
  /** Rejects with LaneFull, at once, when the lane holds as many questions as it may. */
  ask<Answer>(question: () => Promise<Answer>): Promise<Answer>;
}

/**
 * The share of the database that unauthenticated requests get: some of their questions run, some wait, the rest is refused.
 * Without it a flood of invented keys or names queues in front of the callers that are known.
 */
export function createLookupLane({ maxRunning, maxWaiting }: { maxRunning: number; maxWaiting: number }): LookupLane {
  const limit = new Limit(maxRunning);
  let open = 0;
  return {
    async ask(question) {
      if (open >= maxRunning + maxWaiting) throw new LaneFull();
      open += 1;
      try {
        return await limit.run(question);
      } finally {
        open -= 1;
      }
    },
  };
}

// Limits how many requests of one account use the database at the same time. Without the limit one account could hold
// every connection and block all others. A waiting request holds no connection.
import { Semaphore } from '@berth/concurrency';

export interface ConnectionShares {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

interface Share {
  readonly limit: Semaphore;
  users: number;
}

export function createConnectionShares(maxRuns: number): ConnectionShares {
  const shares = new Map<string, Share>();
  return {
    async run(key, work) {
      const share = shares.get(key) ?? { limit: new Semaphore(maxRuns), users: 0 };
      shares.set(key, share);
      share.users += 1;
      try {
        return await share.limit.run(work);
      } finally {
        share.users -= 1;
        if (share.users === 0) shares.delete(key);
      }
    },
  };
}

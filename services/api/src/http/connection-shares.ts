// How many requests of one account work on the database at a time. Without this, one account could hold every connection, and
// everybody else would wait for one. What waits here holds none.
import { Limit } from '@berth/pace';

export interface ConnectionShares {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

interface Share {
  readonly limit: Limit;
  users: number;
}

export function createConnectionShares(most: number): ConnectionShares {
  const shares = new Map<string, Share>();
  return {
    async run(key, work) {
      const share = shares.get(key) ?? { limit: new Limit(most), users: 0 };
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

// How many requests of one account work on the database at a time. Without this, one account could hold every connection, and
// everybody else would wait for one. What waits here holds none.
import { Limit } from '@berth/pace';

export interface Lanes {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

interface Lane {
  readonly limit: Limit;
  users: number;
}

export function createLanes(most: number): Lanes {
  const lanes = new Map<string, Lane>();
  return {
    async run(key, work) {
      const lane = lanes.get(key) ?? { limit: new Limit(most), users: 0 };
      lanes.set(key, lane);
      lane.users += 1;
      try {
        return await lane.limit.run(work);
      } finally {
        lane.users -= 1;
        if (lane.users === 0) lanes.delete(key);
      }
    },
  };
}

import { IsolationClass, WarmPoolSpec } from '@berth/contract/node';
import { type Database, liveInstance } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Dependencies } from '../run/dependencies.ts';
import type { ObservedPools } from './plan.ts';
import type { RecentUse } from './recent-use.ts';
import { poolTargets } from './targets.ts';

export interface LoadedPools {
  readonly observed: ObservedPools;
  /** Memory of the runner that is not reserved. */
  readonly freeMb: number;
}

/** Undefined when the runner is not up: its warm instances have been ended. With `isLocked` its row stays locked. */
export async function loadPools(
  database: Database,
  runnerId: string,
  settings: Pick<Dependencies, 'placement' | 'brand'>,
  recentUse: RecentUse,
  isLocked: boolean,
): Promise<LoadedPools | undefined> {
  const query = database
    .selectFrom('runners')
    .select(['region', 'isolation', 'memory_mb', 'reserved_mb', 'warm', 'warm_lately', 'is_pressed'])
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('id', '=', runnerId)
    .where('status', '=', 'up');
  const runner = await (isLocked ? query.forNoKeyUpdate() : query).executeTakeFirst();
  if (runner === undefined) return undefined;
  const waiting = await database
    .selectFrom('instances')
    .select(['id', 'pool', 'state', 'created_at', 'ready_at', 'failed_at'])
    .where('runner_id', '=', runnerId)
    .where('pool', 'is not', null)
    .where(liveInstance())
    .execute();
  const wishes = {
    isolation: z.array(IsolationClass).parse(runner.isolation),
    warm: z.array(WarmPoolSpec).parse(runner.warm),
    warmLately: runner.warm_lately,
    recentUse: runner.warm_lately > 0 ? await recentUse(runner.region) : [],
  };
  return {
    freeMb: runner.memory_mb - runner.reserved_mb,
    observed: {
      now: runner.now.getTime(),
      isPressed: runner.is_pressed,
      targets: poolTargets(wishes, settings),
      warm: waiting.map(({ id, pool, state, created_at, ready_at, failed_at }) => ({
        id,
        pool: pool ?? '',
        state,
        createdAt: created_at.getTime(),
        readyAt: ready_at?.getTime(),
        failedAt: failed_at?.getTime(),
      })),
    },
  };
}

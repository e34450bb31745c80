// Counts the sandboxes that were used in a region in the last hour. The query is expensive and its result changes
// slowly, so the result is cached for a while.
import { ImageSource, IsolationClass } from '@berth/contract/node';
import { type Database, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';
import type { PoolUse } from './targets.ts';

export type RecentUse = (region: string) => Promise<readonly PoolUse[]>;

const cachedMs = 10_000;
const maxPools = 20;
const Uses = z.array(
  z.object({
    image: z.string(),
    imageSource: ImageSource,
    isolation: IsolationClass,
    memoryMb: z.int(),
    sandboxes: z.int(),
  }),
);

export function createRecentUse(database: Database): RecentUse {
  const cache = new Map<string, { readonly until: number; readonly uses: Promise<readonly PoolUse[]> }>();
  return (region) => {
    const cached = cache.get(region);
    if (cached !== undefined && cached.until > performance.now()) return cached.uses;
    const uses = loadUses(database, region);
    // A failed query is not cached.
    uses.catch(() => cache.delete(region));
    cache.set(region, { until: performance.now() + cachedMs, uses });
    return uses;
  };
}

/**
 * An image that is not the deployment's is counted per workspace: only its registry may give it to another workspace.
 */
async function loadUses(database: Database, region: string): Promise<readonly PoolUse[]> {
  const { rows } = await sql`
    select spec ->> 'image' as image, spec ->> 'isolation' as isolation, (spec ->> 'memoryMb')::int as "memoryMb",
      case when spec #>> '{imageSource,origin}' = 'deployment' then '{"origin": "deployment"}'::jsonb
        else jsonb_build_object('origin', coalesce(spec #>> '{imageSource,origin}', 'outside'), 'workspaceId', workspace_id)
        end as "imageSource",
      count(distinct resource_uid)::int as sandboxes
    from instances join runners on runners.id = instances.runner_id
    where runners.region = ${region} and resource_uid is not null and spec ? 'sandbox'
      and (${unendedInstance()} or ended_at > clock_timestamp() - interval '1 hour')
      and greatest(instances.created_at, used_at) > clock_timestamp() - interval '1 hour'
    group by 1, 2, 3, 4 order by sandboxes desc limit ${maxPools}`.execute(database);
  return Uses.parse(rows);
}

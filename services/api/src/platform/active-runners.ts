import type { Database } from '@berth/database';
import { sql } from 'kysely';

export interface RegionRunners {
  readonly up: number;
  readonly lost: number;
  /** Runners that are up and offer gVisor. */
  readonly withGvisor: number;
}

/** Current number of runners by region; a region without an entry has no runner. */
export async function runnersByRegion(database: Database): Promise<ReadonlyMap<string, RegionRunners>> {
  const { rows } = await sql<RegionRunners & { region: string }>`
    select region,
      (count(*) filter (where status = 'up'))::int as up,
      (count(*) filter (where status = 'lost'))::int as lost,
      (count(*) filter (where status = 'up' and 'gvisor' = any(isolation)))::int as "withGvisor"
    from runners group by region`.execute(database);
  return new Map(rows.map(({ region, ...runners }) => [region, runners]));
}

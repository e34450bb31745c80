// Age of the oldest hour of usage that is not closed: a close that always fails shows here, and nowhere in the figures.
import type { Database } from '@berth/database';
import { Gauge, type Registry } from '@berth/telemetry';
import { sql } from 'kysely';

/** Reads one row of an index; called by the loop, not by a scrape. */
export function createOldestHourMetric(database: Database, registry: Registry): () => Promise<void> {
  const oldest = new Gauge({
    name: 'berth_usage_oldest_open_hour_seconds',
    help: 'Time since the end of the oldest hour with usage that is not closed; 0 when all that have ended are closed.',
    registers: [registry],
  });
  return async () => {
    const { rows } = await sql<{ seconds: number | null }>`
      select extract(epoch from clock_timestamp() - min(hour) - interval '1 hour')::float8 as seconds
      from usage_dirty_hours`.execute(database);
    oldest.set(Math.max(0, rows[0]?.seconds ?? 0));
  };
}

import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { migrations, timesToLive } from './migrations.ts';

const Tables = z.array(z.object({ name: z.string(), engine_full: z.string() }));

/** Creates missing tables and applies the configured retention. */
export async function migrate(client: ClickHouseClient, logRetentionDays: number): Promise<void> {
  for (const query of migrations(logRetentionDays)) await client.command({ query });
  const answer = await client.query({
    query: 'SELECT name, engine_full FROM system.tables WHERE database = currentDatabase()',
    format: 'JSONEachRow',
  });
  const tables = Tables.parse(await answer.json());
  for (const [table, timeToLive] of Object.entries(timesToLive)) {
    const expected = timeToLive(logRetentionDays);
    const engine = tables.find(({ name }) => name === table)?.engine_full;
    // Only when the value differs: ClickHouse applies a changed TTL to everything that is stored.
    if (engine?.includes(`TTL ${expected}`) === false)
      await client.command({ query: `ALTER TABLE ${table} MODIFY TTL ${expected}` });
  }
}

import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { logsTimeToLive, migrations } from './migrations.ts';

const Tables = z.array(z.object({ engine_full: z.string() }));

/** Creates missing tables and applies the configured retention. */
export async function migrate(client: ClickHouseClient, logRetentionDays: number): Promise<void> {
  for (const query of migrations(logRetentionDays)) await client.command({ query });
  const timeToLive = logsTimeToLive(logRetentionDays);
  const answer = await client.query({
    query: `SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'logs'`,
    format: 'JSONEachRow',
  });
  const [table] = Tables.parse(await answer.json());
  // Only when the value differs: ClickHouse applies a changed TTL to everything that is stored.
  if (table?.engine_full.includes(`TTL ${timeToLive}`) === false)
    await client.command({ query: `ALTER TABLE logs MODIFY TTL ${timeToLive}` });
}

import type { Logger } from '@berth/telemetry';
import type { ClickHouseClient } from '@clickhouse/client';
import { batchInserts } from '../batch-inserts.ts';
import type { LogRow } from './log-row.ts';
import { severityOf } from './severity-of.ts';

const dayMs = 86_400_000;

const batchLimits = { waitMs: 250, maxRows: 1_000 };

interface WriteOptions {
  readonly logger: Logger;
  readonly logRetentionDays: number;
  readonly now: () => number;
}

/**
 * Resolves with the number of stored rows. Rows older than the retention are dropped, and so are rows from a clock that
 * is more than a day ahead: each day is a partition, and an insert may touch at most a hundred partitions.
 */
export function createLogWriter(
  client: ClickHouseClient,
  { logger, logRetentionDays, now }: WriteOptions,
): (rows: readonly LogRow[]) => Promise<number> {
  const store = batchInserts<LogRow>(async (rows) => {
    await client.insert({ table: 'logs', values: rows.map(toColumns), format: 'JSONEachRow' });
  }, batchLimits);
  return async (rows) => {
    const nowMs = now();
    const oldest = nowMs - logRetentionDays * dayMs;
    const kept = rows.filter(({ timeNs }) => {
      const timeMs = Number(timeNs) / 1e6;
      return timeMs >= oldest && timeMs <= nowMs + dayMs;
    });
    if (kept.length < rows.length)
      logger.warn(
        { lines: rows.length - kept.length, instance: rows[0]?.instanceId },
        'log lines have a time outside of the retention; they are dropped',
      );
    if (kept.length > 0) await store(kept);
    return kept.length;
  };
}

const toColumns = (row: LogRow) => ({
  workspace_id: row.workspaceId,
  resource_type: row.resourceType,
  resource_uid: row.resourceUid,
  workload: row.workload,
  revision: row.revision,
  instance_id: row.instanceId,
  // ClickHouse fills in the defaults of columns that a row omits.
  execution_id: row.task?.executionId,
  task: row.task?.index,
  sequence: row.sequence,
  time: `${row.timeNs.slice(0, -9)}.${row.timeNs.slice(-9)}`,
  stream: row.stream,
  severity: severityOf(row.text),
  text: row.text,
});

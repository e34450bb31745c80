// Access to ClickHouse. The tables are created before the first use and again after a failure, so ClickHouse may start
// after this process, or come back empty.
import type { Logger } from '@berth/telemetry';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { LogRow } from './logs/log-row.ts';
import { type LogQuery, queryLogs, type WorkloadLogs } from './logs/query-logs.ts';
import { createLogWriter } from './logs/write-logs.ts';
import { migrate } from './migrate.ts';
import { UsageUnavailable } from './usage-unavailable.ts';

export interface UsageOptions {
  /** URL, with user, password and database if there are any: http://user:password@host:8123/database */
  readonly url: string;
  readonly logger: Logger;
  readonly logRetentionDays?: number;
  readonly now?: () => number;
}

/** Every failure is thrown as `UsageUnavailable`. */
export interface Usage {
  migrate(): Promise<void>;
  ready(): Promise<boolean>;
  readonly logs: {
    /**
     * Resolves with the number of stored rows once they are stored. The same row may be written any number of times.
     */
    write(rows: readonly LogRow[]): Promise<number>;
    query(query: LogQuery): Promise<ReadonlyMap<string, WorkloadLogs>>;
  };
  close(): Promise<void>;
}

export function openUsage({ url, logger, logRetentionDays = 30, now = Date.now }: UsageOptions): Usage {
  const client = createClient({
    url,
    application: 'berth',
    // The client does not log, because errors are thrown and the caller logs them.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { async_insert: 0 },
  });
  const writeLogs = createLogWriter(client, { logger, logRetentionDays, now });
  let migrated: Promise<void> | undefined;
  const onceMigrated = (): Promise<void> => {
    migrated ??= migrate(client, logRetentionDays);
    return migrated;
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await onceMigrated();
      return await work();
    } catch (error) {
      migrated = undefined;
      throw new UsageUnavailable(error);
    }
  };
  return {
    migrate: () => attempt(async () => {}),
    ready: async () => (await client.ping()).success,
    logs: {
      write: (rows) => attempt(() => writeLogs(rows)),
      query: (query) => attempt(() => queryLogs(client, query)),
    },
    close: () => client.close(),
  };
}

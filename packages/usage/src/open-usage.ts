// Access to ClickHouse. The tables are created before the first use and again after a failure, so ClickHouse may start
// after this process, or come back empty.
import type { Logger, Registry } from '@berth/telemetry';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { findAccounts } from './check/find-accounts.ts';
import { findFaultyRows } from './check/find-faulty-rows.ts';
import type { Finding } from './check/finding.ts';
import { type HourTotals, type HourTotalsQuery, hourTotals } from './check/hour-totals.ts';
import { createClickHouseMetrics } from './clickhouse-metrics.ts';
import { isFault } from './is-fault.ts';
import { type ClosedHour, closeHour, type HourToClose } from './ledger/close-hour.ts';
import type { LedgerRow } from './ledger/ledger-row.ts';
import type { Period } from './ledger/split-at-hours.ts';
import { createLedgerWriter } from './ledger/write-rows.ts';
import { type FollowedLogs, type FollowQuery, followLogs, type TailQuery, tailLogs } from './logs/follow-logs.ts';
import type { LogPosition } from './logs/log-position.ts';
import type { LogRow } from './logs/log-row.ts';
import { type LogQuery, queryLogs, type WorkloadLogs } from './logs/query-logs.ts';
import { createLogWriter } from './logs/write-logs.ts';
import type { MetricsPage, MetricsQuery } from './metrics/metrics-query.ts';
import { queryMetrics } from './metrics/query-metrics.ts';
import { queryResourceTypes, type ResourceTypesQuery } from './metrics/query-resource-types.ts';
import { migrate } from './migrate.ts';
import { queryRequests, type RequestQuery, type WorkloadRequests } from './requests/query-requests.ts';
import type { RequestRow } from './requests/request-row.ts';
import { writeRequests } from './requests/write-requests.ts';
import { querySums, type UsageSum, type UsageSumsQuery } from './statements/query-sums.ts';
import { UsageUnavailable } from './usage-unavailable.ts';

export interface UsageOptions {
  /** URL, with user, password and database if there are any: http://user:password@host:8123/database */
  readonly url: string;
  readonly logger: Logger;
  readonly registry?: Registry;
  readonly logRetentionDays?: number;
  /** False for a process that only inserts: it needs no right to make tables, and waits until another one has made them. */
  readonly makesTables?: boolean;
  readonly now?: () => number;
}

/**
 * A failure is thrown as `UsageUnavailable`. All but logs throw an error that a faulty statement or row caused as it is, because
 * trying again would not help.
 */
export interface Usage {
  migrate(): Promise<void>;
  ready(): Promise<boolean>;
  readonly logs: {
    /**
     * Resolves with the number of stored rows once they are stored. The same row may be written any number of times.
     */
    write(rows: readonly LogRow[]): Promise<number>;
    query(query: LogQuery): Promise<ReadonlyMap<string, WorkloadLogs>>;
    /** The last lines, and the position from which `follow` goes on. */
    tail(query: TailQuery): Promise<FollowedLogs>;
    /** The lines that were stored after a position: each line once, where it is stored within ten minutes. */
    follow(query: FollowQuery, position: LogPosition): Promise<FollowedLogs>;
  };
  readonly ledger: {
    /**
     * Resolves once the rows are stored. The same row may be written any number of times, and older states of it after newer
     * ones.
     */
    write(rows: readonly LedgerRow[]): Promise<void>;
    /** May be repeated, also while rows are written. */
    closeHour(hour: HourToClose): Promise<ClosedHour>;
  };
  readonly metrics: {
    query(query: MetricsQuery): Promise<MetricsPage>;
    /** Types of resources with usage in the window. */
    resourceTypes(query: ResourceTypesQuery): Promise<string[]>;
  };
  readonly requests: {
    /**
     * Resolves once the rows are stored. The same row may be written any number of times, and older states of it after newer
     * ones.
     */
    write(rows: readonly RequestRow[]): Promise<void>;
    query(query: RequestQuery): Promise<ReadonlyMap<string, WorkloadRequests>>;
  };
  readonly statements: {
    /** Sums of closed hours, by month, workspace and dimension. */
    sums(query: UsageSumsQuery): Promise<UsageSum[]>;
  };
  /** What `checkUsage` asks of ClickHouse. Periods begin and end at full hours. */
  readonly check: {
    findFaultyRows(period: Period, nowMs: number): Promise<Finding[]>;
    hourTotals(query: HourTotalsQuery): Promise<HourTotals[]>;
    /** Accounts with rows or closed hours, whether they exist or not. */
    accounts(period: Period): Promise<string[]>;
  };
  close(): Promise<void>;
}

export function openUsage(options: UsageOptions): Usage {
  const { url, logger, logRetentionDays = 30, makesTables = true, now = Date.now } = options;
  const client = createClient({
    url,
    application: 'berth',
    // The client does not log, because errors are thrown and the caller logs them.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { async_insert: 0 },
  });
  const writeLogs = createLogWriter(client, { logger, logRetentionDays, now });
  const writeRows = createLedgerWriter(client);
  const measure = createClickHouseMetrics(options.registry);
  let migrated: Promise<void> | undefined;
  const onceMigrated = (): Promise<void> => {
    migrated ??= migrate(client, logRetentionDays);
    return migrated;
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await measure(async () => {
        if (makesTables) await onceMigrated();
        return work();
      });
    } catch (error) {
      migrated = undefined;
      throw new UsageUnavailable(error);
    }
  };
  const attemptExactly = <T>(work: () => Promise<T>): Promise<T> =>
    attempt(work).catch((error: unknown) => {
      throw error instanceof UsageUnavailable && isFault(error.cause) ? error.cause : error;
    });
  return {
    migrate: () => attempt(async () => {}),
    ready: async () => (await client.ping()).success,
    logs: {
      write: (rows) => attempt(() => writeLogs(rows)),
      query: (query) => attempt(() => queryLogs(client, query)),
      tail: (query) => attempt(() => tailLogs(client, query, now())),
      follow: (query, position) => attempt(() => followLogs(client, query, position, now())),
    },
    ledger: {
      write: (rows) => attemptExactly(() => writeRows(rows)),
      closeHour: (hour) => attemptExactly(() => closeHour(client, hour)),
    },
    metrics: {
      query: (query) => attemptExactly(() => queryMetrics(client, query)),
      resourceTypes: (query) => attemptExactly(() => queryResourceTypes(client, query)),
    },
    requests: {
      write: (rows) => attemptExactly(() => writeRequests(client, rows)),
      query: (query) => attemptExactly(() => queryRequests(client, query)),
    },
    statements: {
      sums: (query) => attemptExactly(() => querySums(client, query)),
    },
    check: {
      findFaultyRows: (period, nowMs) => attemptExactly(() => findFaultyRows(client, period, nowMs)),
      hourTotals: (query) => attemptExactly(() => hourTotals(client, query)),
      accounts: (period) => attemptExactly(() => findAccounts(client, period)),
    },
    close: () => client.close(),
  };
}

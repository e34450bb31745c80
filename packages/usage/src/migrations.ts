// The tables in ClickHouse. Every statement may be run again, and by several servers at once; new ones go at the end.
import { severityNumbers } from '@berth/contract';

const severities = Object.entries(severityNumbers)
  .map(([name, number]) => `'${name}' = ${number}`)
  .join(', ');

/** By table: what ClickHouse drops after the retention of logs, as it writes it in the definition of the table. */
export const timesToLive = {
  logs: (days: number): string => `toDateTime(time) + toIntervalDay(${days})`,
  request_minutes: (days: number): string => `minute + toIntervalDay(${days})`,
} as const;

export const migrations = (logRetentionDays: number): readonly string[] => [
  // A line is identified by its instance and its sequence number there. A line sent again has the same
  // time and therefore the same key, so ClickHouse removes the duplicate: in the background, and before
  // that in every query with FINAL.
  `CREATE TABLE IF NOT EXISTS logs (
    workspace_id UUID,
    resource_type LowCardinality(String),
    resource_uid UUID,
    workload String,
    revision String,
    instance_id UUID,
    sequence UInt64,
    time DateTime64(9, 'UTC'),
    stream Enum8('stdout' = 1, 'stderr' = 2),
    severity Enum8(${severities}),
    text String CODEC(ZSTD)
  )
  ENGINE = ReplacingMergeTree
  PARTITION BY toDate(time)
  ORDER BY (workspace_id, resource_type, workload, time, instance_id, sequence)
  TTL ${timesToLive.logs(logRetentionDays)}
  SETTINGS ttl_only_drop_parts = 1`,
  // Lines of anything but a task, and lines stored before these columns existed, have the defaults.
  `ALTER TABLE logs
    ADD COLUMN IF NOT EXISTS execution_id UUID,
    ADD COLUMN IF NOT EXISTS task Int32 DEFAULT -1`,
  `ALTER TABLE logs ADD INDEX IF NOT EXISTS lines_by_execution execution_id TYPE bloom_filter GRANULARITY 1`,
  // A row is identified by the sorting key within its account. The version is the end of the interval, so the longest row
  // remains, in whatever order rows arrive. An acknowledged row survives a power cut: the runner does not keep it.
  `CREATE TABLE IF NOT EXISTS usage_intervals (
    account_id UUID,
    workspace_id UUID,
    workspace LowCardinality(String),
    resource_type LowCardinality(String),
    resource_name String,
    resource_uid UUID,
    dimension LowCardinality(String),
    source UUID,
    interval UInt32,
    part UInt32,
    hour DateTime('UTC'),
    \`from\` DateTime64(3, 'UTC'),
    \`to\` DateTime64(3, 'UTC'),
    rate UInt64,
    amount UInt64,
    version UInt64
  )
  ENGINE = ReplacingMergeTree(version)
  PARTITION BY toYYYYMM(hour)
  ORDER BY (account_id, hour, dimension, source, interval, part)
  TTL hour + toIntervalMonth(13)
  SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1`,
  // Kept for ever. Months that are over are merged into one part, which queries with FINAL read as fast as without.
  `CREATE TABLE IF NOT EXISTS usage_hours (
    account_id UUID,
    workspace_id UUID,
    workspace LowCardinality(String),
    resource_type LowCardinality(String),
    resource_name String,
    resource_uid UUID,
    dimension LowCardinality(String),
    hour DateTime('UTC'),
    micro Int64,
    pico Int64,
    version UInt64
  )
  ENGINE = ReplacingMergeTree(version)
  PARTITION BY toYYYYMM(hour)
  ORDER BY (account_id, hour, dimension, workspace_id, resource_type, resource_uid, resource_name)
  SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1`,
  // One row for each workload, minute and run of a gateway. A gateway writes the counters of a minute again while they grow,
  // so every row that replaces another one has all requests of it.
  `CREATE TABLE IF NOT EXISTS request_minutes (
    workspace_id UUID,
    resource_type LowCardinality(String),
    resource_uid UUID,
    workload String,
    minute DateTime('UTC'),
    gateway UUID,
    requests UInt64,
    client_errors UInt64,
    server_errors UInt64,
    bytes_in UInt64,
    bytes_out UInt64,
    durations Array(UInt64),
    first_bytes Array(UInt64),
    version UInt64
  )
  ENGINE = ReplacingMergeTree(version)
  PARTITION BY toDate(minute)
  ORDER BY (workspace_id, resource_type, workload, minute, resource_uid, gateway)
  TTL ${timesToLive.request_minutes(logRetentionDays)}
  SETTINGS ttl_only_drop_parts = 1`,
];

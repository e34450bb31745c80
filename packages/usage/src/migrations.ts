// The tables in ClickHouse. Every statement may be run again, by several servers at once; new ones are added at the end.
import { severityNumbers } from '@berth/contract';

const severities = Object.entries(severityNumbers)
  .map(([name, number]) => `'${name}' = ${number}`)
  .join(', ');

export const logsTimeToLive = (days: number): string => `toDateTime(time) + toIntervalDay(${days})`;

export const migrations = (logRetentionDays: number): readonly string[] => [
  // A line is known by its instance and its place in what that has said. Sent again it has the same time, so the whole key
  // is the same and one of the two goes: in the background, and before that whenever a query says FINAL.
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
  TTL ${logsTimeToLive(logRetentionDays)}
  SETTINGS ttl_only_drop_parts = 1`,
];

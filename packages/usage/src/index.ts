export type { LogRow } from './logs/log-row.ts';
export type { LogQuery, WorkloadLogs } from './logs/query-logs.ts';
export { openUsage, type Usage, type UsageOptions } from './open-usage.ts';
export { UsageUnavailable } from './usage-unavailable.ts';

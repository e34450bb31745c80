// The tables that a backup copies, partition by partition.

export const copiedTables = {
  usage: ['usage_intervals', 'usage_hours'],
  /** Large, and dropped after the retention of logs; copied on request. */
  logs: ['logs', 'request_minutes'],
} as const;

export type CopiedTable = (typeof copiedTables)[keyof typeof copiedTables][number];

/** ClickHouse drops rows of the other ones after a while. */
export const isKeptForEver = (table: CopiedTable): boolean => table === 'usage_hours';

export const allCopiedTables: readonly CopiedTable[] = [...copiedTables.usage, ...copiedTables.logs];

import { ClickHouseError } from '@clickhouse/client';
import { z } from 'zod';

/** Errors of ClickHouse that pass without a change of ours: it has no room or time, is not set up, or came back empty. */
const conditions = new Set([
  'ABORTED',
  'ACCESS_DENIED',
  'ALL_CONNECTION_TRIES_FAILED',
  'AUTHENTICATION_FAILED',
  'CANNOT_FSYNC',
  'CANNOT_SCHEDULE_TASK',
  'CANNOT_WRITE_TO_FILE_DESCRIPTOR',
  'KEEPER_EXCEPTION',
  'MEMORY_LIMIT_EXCEEDED',
  'NETWORK_ERROR',
  'NOT_ENOUGH_SPACE',
  'NO_ACTIVE_REPLICAS',
  'QUERY_WAS_CANCELLED',
  'QUOTA_EXCEEDED',
  'SERVER_OVERLOADED',
  'SOCKET_TIMEOUT',
  'TABLE_IS_BEING_RESTARTED',
  'TABLE_IS_DROPPED',
  'TABLE_IS_READ_ONLY',
  'TIMEOUT_EXCEEDED',
  'TOO_FEW_LIVE_REPLICAS',
  'TOO_MANY_PARTS',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'UNKNOWN_DATABASE',
  'UNKNOWN_STATUS_OF_INSERT',
  'UNKNOWN_TABLE',
]);

/** Whether a statement, its parameters, its rows or its answer are wrong, so that another attempt fails in the same way. */
export const isFault = (error: unknown): boolean =>
  error instanceof z.ZodError ||
  (error instanceof ClickHouseError && error.type !== undefined && !conditions.has(error.type));

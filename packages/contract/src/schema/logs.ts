// Lines that workloads write. Control-plane sheet 2.17, ResourceLogResponse.
import { z } from 'zod';

/** As numbers they are those of OpenTelemetry, the lowest of each range, so that an order is an order. */
export const severityNumbers = {
  FATAL: 21,
  ERROR: 17,
  WARNING: 13,
  INFO: 9,
  DEBUG: 5,
  TRACE: 1,
  UNKNOWN: 0,
} as const;
export type LogSeverity = keyof typeof severityNumbers;
export const LogSeverity = z.enum(['FATAL', 'ERROR', 'WARNING', 'INFO', 'DEBUG', 'TRACE', 'UNKNOWN']);

const LogEntry = z.object({
  timestamp: z.string().describe('RFC 3339 in UTC, with nanoseconds'),
  message: z.string(),
  severity: z
    .int()
    .describe('Number as in OpenTelemetry: 21 fatal, 17 error, 13 warning, 9 info, 5 debug, 1 trace, 0 unknown'),
  trace_id: z.string().describe('Empty when the line belongs to no trace'),
});

const LogBucket = z.object({
  timestamp: z.string().describe('Start of the interval, RFC 3339 in UTC'),
  count: z.int(),
  debug: z.int(),
  error: z.int(),
  fatal: z.int(),
  info: z.int(),
  trace: z.int(),
  unknown: z.int(),
  warning: z.int(),
});

export const ResourceLogResponse = z
  .object({
    logs: z.array(LogEntry).describe('Newest first'),
    totalCount: z.int().describe('Lines that match, whether or not this answer holds them'),
    chart: z.array(LogBucket).describe('Lines per interval, oldest first; an interval without lines is left out'),
  })
  .meta({ id: 'ResourceLogResponse' });
export type ResourceLogResponse = z.infer<typeof ResourceLogResponse>;

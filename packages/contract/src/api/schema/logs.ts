// Log lines of workloads. Control-plane sheet 1.18, and 2.17 for ResourceLogResponse.
import { z } from 'zod';
import { queryInteger, WorkspaceQuery } from './query.ts';

/** Severity numbers of OpenTelemetry, the lowest of each range, so that severities can be compared. */
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

const LogEntry = z
  .object({
    timestamp: z.string().describe('RFC 3339 in UTC, with nanoseconds'),
    message: z.string(),
    severity: z
      .int()
      .describe('Number as in OpenTelemetry: 21 fatal, 17 error, 13 warning, 9 info, 5 debug, 1 trace, 0 unknown'),
    trace_id: z.string().describe('Empty when the line belongs to no trace'),
  })
  .meta({ id: 'LogEntry' });

const LogBucket = z
  .object({
    timestamp: z.string().describe('Start of the interval, RFC 3339 in UTC'),
    count: z.int(),
    debug: z.int(),
    error: z.int(),
    fatal: z.int(),
    info: z.int(),
    trace: z.int(),
    unknown: z.int(),
    warning: z.int(),
  })
  .meta({ id: 'LogBucket' });

export const ResourceLogResponse = z
  .object({
    logs: z.array(LogEntry).describe('Newest first'),
    totalCount: z.int().describe('Lines that match, whether or not this answer holds them'),
    chart: z
      .array(LogBucket)
      .describe(
        'Lines per interval, oldest first, of a workload that was named; an interval without lines is left out',
      ),
  })
  .meta({ id: 'ResourceLogResponse' });
export type ResourceLogResponse = z.infer<typeof ResourceLogResponse>;

/** Kinds that run, by path segment. */
export const LoggedType = z.enum(['agents', 'applications', 'functions', 'jobs', 'models', 'sandboxes']);
export type LoggedType = z.infer<typeof LoggedType>;

/** Maximum number of workloads in one query; each gets its own chart. */
const maxWorkloads = 20;

const split = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const Second = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/, 'a time in UTC of the form YYYY-MM-DDTHH:MM:SS')
  .transform((text) => new Date(`${text}Z`))
  .refine((time) => !Number.isNaN(time.getTime()), 'a time that exists');

/** Names, separated by commas or in repeated parameters. */
const Workloads = z
  .union([z.string().max(4096), z.array(z.string().max(256)).max(maxWorkloads)])
  .transform((given) => [...new Set([given].flat().flatMap(split))])
  .refine(
    (names) =>
      names.length > 0 && names.length <= maxWorkloads && names.every((name) => /^[a-z0-9][\w.-]*$/i.test(name)),
    `1 to ${maxWorkloads} names of workloads`,
  );

const Severities = z
  .string()
  .max(128)
  .transform((text) => split(text.toUpperCase()))
  .transform((asked) => (asked.length === 0 || asked.includes('ALL') ? LogSeverity.options : asked))
  .pipe(z.array(z.enum(LogSeverity.options, `severities: ${LogSeverity.options.join(', ')}, or all`)));

/** Empty text counts as absent. */
const Filter = z
  .string()
  .max(1024)
  .transform((text) => (text === '' ? undefined : text));

export const LogsQuery = WorkspaceQuery.extend({
  resourceType: LoggedType.optional().describe(
    'Every type that the caller may read when left out; workloads of one name are then one entry',
  ),
  workloadIds: Workloads.optional().describe('All when left out: those that the lines of the answer are of'),
  start: Second.optional().describe('An hour before the end when left out'),
  end: Second.optional().describe('Now when left out; at most three days after the start, and not part of the window'),
  type: Filter.optional(),
  severity: Severities.optional(),
  search: Filter.optional().describe('Text that lines hold, in any case; no character stands for others'),
  traceId: Filter.optional(),
  taskId: Filter.optional().describe('Lines of one task of each execution, by its name or index: task-3 or 3'),
  executionId: Filter.optional().describe('Lines of executions of jobs that have this id'),
  limit: queryInteger({ min: 1, clampTo: 1000 }).optional().describe('Lines in the answer; 1000 when left out'),
  offset: queryInteger({ min: 0, clampTo: 2_147_483_647 }).optional().describe('Lines to leave out, newest first'),
  interval: queryInteger({ min: 1, clampTo: 86_400 }).optional().describe('Seconds of the chart; 60 when left out'),
});
export type LogsQuery = z.output<typeof LogsQuery>;

const FollowedLogEntry = LogEntry.extend({ workload: z.string() }).meta({ id: 'FollowedLogEntry' });

export const FollowedLogs = z
  .object({
    logs: z.array(FollowedLogEntry).describe('Oldest first'),
    after: z.string().describe('Ask with it for the lines that follow; without new lines it changes too'),
  })
  .meta({ id: 'FollowedLogs' });

export const FollowLogsQuery = LogsQuery.pick({
  ...{ workspace: true, resourceType: true, workloadIds: true, severity: true, search: true },
  ...{ taskId: true, executionId: true },
}).extend({
  after: z
    .string()
    .min(1)
    .max(12_000)
    .optional()
    .describe('From the answer before, with the same filters. The lines of the answer follow those of that answer'),
  tail: queryInteger({ min: 0, clampTo: 1000 })
    .optional()
    .describe('Last lines to begin with, where `after` is left out; 0 when left out'),
  wait: queryInteger({ min: 0, clampTo: 30 })
    .optional()
    .describe('Seconds to wait for a line after `after`; 20 when left out'),
});
export type FollowedLogs = z.infer<typeof FollowedLogs>;
export type FollowLogsQuery = z.output<typeof FollowLogsQuery>;

// Requests to workloads over time. Our own addition to the observability operations; parameters are those of logs.
import { z } from 'zod';
import { LogsQuery } from './logs.ts';
import { queryInteger } from './query.ts';
import { Timestamp } from './text.ts';

const minuteSeconds = 60;

export const RequestMetricsQuery = LogsQuery.pick({
  workspace: true,
  resourceType: true,
  workloadIds: true,
  start: true,
  end: true,
}).extend({
  workloadIds: LogsQuery.shape.workloadIds.describe('When left out the workloads with the most requests, 1000 at most'),
  interval: queryInteger({ min: minuteSeconds, clampTo: 86_400 })
    .refine((seconds) => seconds % minuteSeconds === 0, `a multiple of ${minuteSeconds}`)
    .optional()
    .describe(`Seconds of the chart, a multiple of ${minuteSeconds}; ${minuteSeconds} when left out`),
});

const Percentiles = z
  .object({ p50: z.number(), p95: z.number(), p99: z.number() })
  .meta({ id: 'Percentiles' })
  .nullable();

const figures = {
  requests: z.int(),
  clientErrors: z.int().describe('Answers with a status from 400 to 499'),
  serverErrors: z
    .int()
    .describe('Answers with a status from 500 on, also those of the platform where the workload gave none'),
  bytesIn: z.int().describe('Bytes of request bodies, and what clients sent over upgraded connections'),
  bytesOut: z.int().describe('Bytes of response bodies, and what workloads sent over upgraded connections'),
  latencyMs: Percentiles.describe(
    'Time until the end of the response, waiting for an instance included; estimated from a histogram. Null without requests',
  ),
  firstByteMs: Percentiles.describe(
    'The same until the head of the response, of the requests that the workload answered. Null without answers',
  ),
};

export const WorkloadRequestMetrics = z
  .object({
    ...figures,
    chart: z
      .array(
        z
          .object({ timestamp: Timestamp.describe('Start of the interval'), ...figures })
          .meta({ id: 'RequestMetricsBucket' }),
      )
      .describe(
        'Requests per interval, oldest first, of a workload that was named; an interval without requests is left out',
      ),
  })
  .meta({ id: 'WorkloadRequestMetrics' });
export type WorkloadRequestMetrics = z.infer<typeof WorkloadRequestMetrics>;

// Logs of workloads, control-plane sheet 1.18, and their requests, our own addition.
import { z } from 'zod';
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { FollowedLogs, FollowLogsQuery, LogsQuery, ResourceLogResponse } from '../schema/logs.ts';
import { RequestMetricsQuery, WorkloadRequestMetrics } from '../schema/request-metrics.ts';

export const listLogs = defineOperation({
  ...at('/observability/logs'),
  id: 'listLogs',
  method: 'GET',
  tag: 'Observability',
  summary: 'Lines of workloads, newest first, by the name of the workload',
  // The handler also checks `<resourceType>:get`: only the query names the type.
  access: member(),
  query: LogsQuery,
  answer: z.record(z.string(), ResourceLogResponse),
});

export const followLogs = defineOperation({
  ...at('/observability/logs/follow'),
  id: 'followLogs',
  method: 'GET',
  tag: 'Observability',
  summary:
    'Lines of workloads as they are stored, each of them once: asked again and again, with `after` of the answer before',
  // As for the lines of a window, the handler also checks `<resourceType>:get`.
  access: member(),
  query: FollowLogsQuery,
  answer: FollowedLogs,
  isAddition: true,
});

export const listRequestMetrics = defineOperation({
  ...at('/observability/metrics'),
  id: 'listRequestMetrics',
  method: 'GET',
  tag: 'Observability',
  summary: 'Requests, errors, latency and bytes of workloads, by the name of the workload',
  // As for logs, the handler also checks `<resourceType>:get`.
  access: member(),
  query: RequestMetricsQuery,
  answer: z.record(z.string(), WorkloadRequestMetrics),
  isAddition: true,
});

// Logs of workloads. Control-plane sheet 1.18.
import { z } from 'zod';
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { LogsQuery, ResourceLogResponse } from '../schema/logs.ts';

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

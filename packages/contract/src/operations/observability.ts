// What workloads write. Control-plane sheet 1.18.
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
  // And `<resourceType>:get`, which only the query tells: the handler asks for it.
  access: member(),
  query: LogsQuery,
  answer: z.record(z.string(), ResourceLogResponse),
});

// Asynchronous calls of agents. Our own addition to the interface.
import { z } from 'zod';
import { pageQuery } from './query.ts';
import { CursorMeta } from './shared.ts';
import { Timestamp } from './text.ts';

export const InvocationStatus = z
  .enum(['queued', 'running', 'succeeded', 'failed', 'unknown'])
  .describe(
    'succeeded: the agent answered below 400. failed: it answered otherwise, or not at all. unknown: the process that performed the call ended within its last run',
  );
export type InvocationStatus = z.infer<typeof InvocationStatus>;

export const invocationsQuery = {
  cursor: pageQuery.cursor,
  limit: pageQuery.limit,
  status: InvocationStatus.optional().describe('Only calls in this state.'),
};

export const Invocation = z
  .object({
    id: z.string().describe('Answered to the caller in a header, and sent to the agent with each run'),
    status: InvocationStatus,
    triggerId: z.string().optional().describe('Trigger whose settings the call has'),
    subject: z.string().optional().describe('Who made the call; absent for an anonymous caller'),
    method: z.string(),
    path: z.string().describe('As the agent receives it'),
    bodyBytes: z.int(),
    runs: z.int().describe('Runs that have begun'),
    maxRuns: z.int().describe('The first run and its retries'),
    timeout: z.int().describe('Seconds of one run'),
    acceptedAt: Timestamp,
    nextAt: Timestamp.optional().describe('While it is queued: when it is due'),
    startedAt: Timestamp.optional().describe('Begin of the first run'),
    endedAt: Timestamp.optional(),
    statusCode: z.int().optional().describe('Of the last answer'),
    responseBytes: z.int().optional(),
    error: z.string().optional().describe('Why the last run gave no answer'),
    deliveryId: z.string().optional().describe('Its callback, once the call has ended'),
  })
  .meta({ id: 'Invocation' });

export const InvocationPage = z.object({ data: z.array(Invocation), meta: CursorMeta }).meta({ id: 'InvocationPage' });

// Callbacks of executions and of asynchronous calls. Our own addition to the interface.
import { z } from 'zod';
import { pageQuery } from './query.ts';
import { CursorMeta } from './shared.ts';
import { Timestamp } from './text.ts';

export const DeliveryStatus = z
  .enum(['waiting', 'delivered', 'given_up'])
  .describe('given_up: the receiver answered 410, or no try of a day was answered with 2xx');
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const deliveriesQuery = {
  cursor: pageQuery.cursor,
  limit: pageQuery.limit,
  status: DeliveryStatus.optional().describe('Only callbacks in this state.'),
};

const delivery = {
  id: z.string().describe('Sent with each try, so that a receiver can tell a repeated one'),
  status: DeliveryStatus,
  resourceType: z.enum(['agent', 'job']),
  resourceName: z.string().optional().describe('Absent once the resource is gone'),
  triggerId: z.string(),
  executionId: z.string().optional(),
  invocationId: z.string().optional(),
  url: z.string(),
  attempts: z.int().describe('Tries whose result is known'),
  nextAt: Timestamp.optional().describe('While it waits: when the next try is due'),
  lastStatus: z.int().optional().describe('Status of the answer to the last try'),
  lastError: z.string().optional().describe('Why the last try had no answer'),
  createdAt: Timestamp,
  endedAt: Timestamp.optional(),
};

export const Delivery = z.object(delivery).meta({ id: 'Delivery' });

export const DeliveryWithBody = z
  .object({ ...delivery, body: z.string().describe('What is sent') })
  .meta({ id: 'DeliveryWithBody' });

export const DeliveryPage = z.object({ data: z.array(Delivery), meta: CursorMeta }).meta({ id: 'DeliveryPage' });

import { z } from 'zod';
import type { Tried } from './try-once.ts';

const Body = z.strictObject({
  error: z.strictObject({
    code: z.string().regex(/^[A-Z_]+$/),
    message: z.string().min(1),
    status: z.int(),
    retryable: z.boolean(),
    action: z.string().min(1),
    do_not: z.string().min(1),
    docs_url: z.string().min(1),
    origin: z.literal('platform'),
    timestamp: z.iso.datetime(),
    dispatch_state: z.literal('not_dispatched').optional(),
    safe_to_retry_request: z.literal(true).optional(),
  }),
});

/**
 * Error code of an answer made by the platform itself; undefined if the answer lacks anything that every such answer
 * must have.
 */
export function platformCode({ status, headers, body }: Extract<Tried, { end: 'answer' }>): string | undefined {
  const parsed = Body.safeParse(readJson(body));
  if (!parsed.success) return undefined;
  const { error } = parsed.data;
  const isWhole =
    headers['x-service-source'] === 'platform' &&
    headers['x-service-error-code'] === error.code &&
    headers['x-service-dispatch-state'] === error.dispatch_state &&
    headers['x-request-id'] !== undefined &&
    error.status === status;
  return isWhole ? error.code : undefined;
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

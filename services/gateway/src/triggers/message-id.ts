import { randomUUID } from 'node:crypto';
import { idempotencyKeyIn } from '../http/idempotency-key.ts';

/** Requests with the same Idempotency-Key are the same message, which starts one execution. */
export function messageIdIn(rawHeaders: readonly string[], triggerId: string): string {
  const key = idempotencyKeyIn(rawHeaders);
  return key === undefined ? randomUUID() : `http:${triggerId}:${key}`;
}

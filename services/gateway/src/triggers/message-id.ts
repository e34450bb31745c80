import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors/gateway-error.ts';
import { onlyValueOf } from '../http/raw-headers.ts';

const keyForm = /^[\x21-\x7e]{1,255}$/;

/** Requests with the same Idempotency-Key are the same message, which starts one execution. */
export function messageIdIn(rawHeaders: readonly string[], triggerId: string): string {
  const key = onlyValueOf(rawHeaders, 'idempotency-key');
  if (key === undefined) return randomUUID();
  if (key !== null && keyForm.test(key)) return `http:${triggerId}:${key}`;
  throw new GatewayError('BAD_REQUEST', {
    message: 'Idempotency-Key takes 1 to 255 printable characters without spaces, and may occur once.',
  });
}

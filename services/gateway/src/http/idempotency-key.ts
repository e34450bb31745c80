import { GatewayError } from '../errors/gateway-error.ts';
import { onlyValueOf } from './raw-headers.ts';

const keyForm = /^[\x21-\x7e]{1,255}$/;

/** Requests with the same key are the same request. */
export function idempotencyKeyIn(rawHeaders: readonly string[]): string | undefined {
  const key = onlyValueOf(rawHeaders, 'idempotency-key');
  if (key === undefined || (key !== null && keyForm.test(key))) return key;
  throw new GatewayError('BAD_REQUEST', {
    message: 'Idempotency-Key takes 1 to 255 printable characters without spaces, and may occur once.',
  });
}

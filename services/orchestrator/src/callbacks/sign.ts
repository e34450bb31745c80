import { createHmac } from 'node:crypto';
import { type Brand, headerNames } from '@berth/contract';

export interface SignedDelivery {
  readonly id: string;
  readonly secret: string;
  readonly body: string;
  /** Time of this try: receivers refuse old ones, and the last try is a day after the first. */
  readonly now: number;
}

/** Headers of a callback, control-plane sheet 4.4. The signature covers the body alone. */
export function callbackHeaders(brand: Brand, { id, secret, body, now }: SignedDelivery): Record<string, string> {
  const { signature, timestamp, deliveryId } = headerNames(brand);
  return {
    'content-type': 'application/json',
    'user-agent': `${brand.short}-callback`,
    [signature]: `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    [timestamp]: String(Math.floor(now / 1_000)),
    [deliveryId]: id,
  };
}

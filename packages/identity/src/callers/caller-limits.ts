// Request rates per key and per address. They are counted in memory only, so a refused request costs no database query.
import { addressGroup, clientAddress, isLoopback } from './client-address.ts';
import { createRateLimiter, type Rate } from './rate-limiter.ts';

export interface RateRefusal {
  /** Exceeded limit; its setting is `perKey` or `perAddress`. */
  readonly limit: 'key' | 'address';
  readonly message: string;
  readonly retryAfterSeconds: number;
}

export interface CallerLimitOptions {
  readonly perKey: Rate;
  readonly perAddress: Rate;
  /** True for a proxy in front of the server. */
  readonly isTrusted: (address: string) => boolean;
  /** Makes the error for a request above the rate. */
  readonly refuse: (refusal: RateRefusal) => Error;
  /** Monotonic, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

export interface CallerLimits {
  /** Throws the error made by `refuse` when the address is above its rate. */
  countAddress(peer: string | undefined, forwardedFor: readonly string[]): void;
  /** Throws the error made by `refuse` when the key is above its rate. */
  countKey(keyId: string): void;
}

export function createCallerLimits({ perKey, perAddress, isTrusted, refuse, now }: CallerLimitOptions): CallerLimits {
  const keys = createRateLimiter(perKey, now);
  const addresses = createRateLimiter(perAddress, now);
  const messageOf = ({ perSecond, burst }: Rate, whose: string): string =>
    `More than ${perSecond} requests per second came ${whose}, after a burst of ${burst}.`;
  return {
    countAddress(peer = '', forwardedFor) {
      const client = clientAddress(peer, forwardedFor, isTrusted);
      // Loopback is not limited: a proxy on this machine that is not configured as trusted carries many clients.
      if (isLoopback(client)) return;
      const group = addressGroup(client);
      const retryAfterSeconds = addresses.retryAfterSeconds(group);
      if (retryAfterSeconds === undefined) return;
      throw refuse({ limit: 'address', message: messageOf(perAddress, `from ${group}`), retryAfterSeconds });
    },
    countKey(keyId) {
      const retryAfterSeconds = keys.retryAfterSeconds(keyId);
      if (retryAfterSeconds === undefined) return;
      throw refuse({ limit: 'key', message: messageOf(perKey, `with the key ${keyId}`), retryAfterSeconds });
    },
  };
}

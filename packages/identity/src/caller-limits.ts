// How many requests one key and one address may send. Pure counting in memory: a request that is refused here costs no question.
import { addressGroup, clientAddress, isLoopback } from './client-address.ts';
import { createRateLimiter, type Rate } from './rate-limiter.ts';

export interface RateRefusal {
  /** Also the name of the setting, as `perKey`. */
  readonly limit: 'key' | 'address';
  readonly message: string;
  readonly retryAfterSeconds: number;
}

export interface CallerLimitOptions {
  readonly perKey: Rate;
  readonly perAddress: Rate;
  /** Whether an address is a proxy in front of us. */
  readonly isTrusted: (address: string) => boolean;
  /** The error of a request that comes too soon. */
  readonly refuse: (refusal: RateRefusal) => Error;
  /** Monotonic, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

export interface CallerLimits {
  /** Throws what `refuse` makes. */
  countAddress(peer: string | undefined, forwardedFor: readonly string[]): void;
  /** Throws what `refuse` makes. */
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
      // An edge on this machine that is not named as trusted stands for many clients.
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

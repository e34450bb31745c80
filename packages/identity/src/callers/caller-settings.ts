// Settings about callers, shared by the api and the gateway.
import { isIP } from 'node:net';
import { z } from 'zod';
import type { Rate } from './rate-limiter.ts';

/** An address, or a range of them as `10.0.0.0/8`. */
export const AddressRange = z.string().refine((range) => {
  const [address = '', prefix, ...more] = range.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return longest > 0 && more.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && +prefix <= longest));
}, 'Expected an address or a range such as 10.0.0.0/8');

/** High, because many people may share one address behind a network's edge. */
const perAddress: Rate = { perSecond: 1_000, burst: 5_000 };

export const rateLimitSettings = (perKey: Rate) =>
  z.object({
    perKey: rateSetting(perKey, 'with one key'),
    perAddress: rateSetting(perAddress, 'from one IPv4 address or one IPv6 /64'),
  });

const rateSetting = (usual: Rate, whose: string) =>
  z
    .object({
      perSecond: z
        .number()
        .min(0)
        .default(usual.perSecond)
        .describe(`Requests ${whose} that one process takes in a second, in the long run; 0 sets no limit.`),
      burst: z
        .int()
        .positive()
        .default(usual.burst)
        .describe(`Requests ${whose} that may come at once after a quiet time.`),
    })
    .prefault({});

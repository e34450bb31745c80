// Settings about callers, shared by the api and the gateway.
import { isIP } from 'node:net';
import { z } from 'zod';
import type { Rate } from './rate-limiter.ts';

/** An address, or a range of them as `10.0.0.0/8`. */
export const AddressRange = z.string().refine((range) => {
  const [address = '', prefix, ...more] = range.split('/');
  const maxPrefix = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    maxPrefix > 0 && more.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && +prefix <= maxPrefix))
  );
}, 'Expected an address or a range such as 10.0.0.0/8');

/** High, because many people may share one address behind a network's edge. */
const defaultPerAddress: Rate = { perSecond: 1_000, burst: 5_000 };

export const rateLimitSettings = (perKey: Rate) =>
  z.object({
    perKey: rateSetting(perKey, 'with one key'),
    perAddress: rateSetting(defaultPerAddress, 'from one IPv4 address or one IPv6 /64'),
  });

const rateSetting = (defaults: Rate, whose: string) =>
  z
    .object({
      perSecond: z
        .number()
        .min(0)
        .default(defaults.perSecond)
        .describe(`Requests per second ${whose} that one process accepts on average; 0 sets no limit.`),
      burst: z
        .int()
        .positive()
        .default(defaults.burst)
        .describe(`Requests ${whose} that one process accepts at once after a pause.`),
    })
    .prefault({});

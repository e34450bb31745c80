import { providers } from '@berth/contract';
import { AddressRange } from '@berth/identity';
import { z } from 'zod';

const addresses = Object.fromEntries(
  providers.map(({ name, displayName }) => [
    name,
    z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(
        `Address at which ${displayName} is reached instead of its own: for a proxy that you run in front of it.`,
      ),
  ]),
);

/** Read by gateways, which call models, and by the api, which lists the models of a provider. */
export const providersSection = z
  .object({
    allowedRanges: z
      .array(AddressRange)
      .default([])
      .describe(
        'Addresses of providers of models that may be called although they are not on the internet, such as models on your own machines.',
      ),
    addresses: z.strictObject(addresses).prefault({}),
  })
  .prefault({});

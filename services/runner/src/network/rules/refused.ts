import { z } from 'zod';
import { type OutgoingLimit, type OutgoingLimits, outgoingLimits } from './ruleset.ts';

export interface Refused {
  readonly address: string;
  /** First limit that the address hit within the last minute. */
  readonly limit: OutgoingLimit;
}

const Printed = z.tuple([z.object({ elem: z.object({ val: z.string() }) }), z.number()]);
const Listing = z.object({
  nftables: z.array(z.object({ map: z.object({ elem: z.array(Printed).default([]) }).optional() })),
});

/** Parses the output of `nft -j list map`. */
export function refusedIn(json: string): Refused[] {
  const elements = Listing.parse(JSON.parse(json)).nftables.flatMap(({ map }) => map?.elem ?? []);
  return elements.flatMap(([{ elem }, place]) => {
    const limit = outgoingLimits[place];
    return limit === undefined ? [] : [{ address: elem.val, limit }];
  });
}

/** Message for the owner of the instance. */
export function refusalText(
  limit: OutgoingLimit,
  { newPerSecond, connections, dnsPerSecond, mbPerSecond }: OutgoingLimits,
): string {
  const setting = `(runner.outgoing.${limit})`;
  const said: Readonly<Record<OutgoingLimit, string>> = {
    gatewayCalls: 'New connections to the platform were dropped: more than 200 in a second. Open fewer at once',
    newPerSecond: `New connections were dropped: more than ${newPerSecond} in a second ${setting}. Open fewer at once`,
    connections: `New connections were dropped: more than ${connections} at a time ${setting}. Close some`,
    dnsPerSecond: `Questions for names were dropped: more than ${dnsPerSecond} in a second ${setting}. Ask less often`,
    mbPerSecond: `Packets were dropped: more than ${mbPerSecond} MB in a second ${setting}. Send less`,
  };
  return `[${said[limit]}, or ask the operator to raise the limit.]`;
}

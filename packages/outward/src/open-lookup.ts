// Name lookup for connections that are kept and used again: each new connection goes to an address that was checked at that
// moment.
import { isIP, type LookupFunction } from 'node:net';
import { openAddresses } from './open-address.ts';
import { giveAddresses, openAddressesOf } from './open-addresses-of.ts';
import { type Resolve, resolveName } from './resolve.ts';

export interface OpenLookupOptions {
  /** Addresses and ranges that may be called although they are not on the internet. */
  readonly allowedRanges?: readonly string[];
  /** DNS. */
  readonly resolve?: Resolve;
}

export interface OpenLookup {
  /** Node asks it for every name. */
  readonly lookup: LookupFunction;
  /** True for an address in numbers that is not on the internet: Node connects to those without a lookup. */
  isClosed(host: string): boolean;
}

const lookupMs = 5_000;

export function createOpenLookup({ allowedRanges = [], resolve = resolveName }: OpenLookupOptions = {}): OpenLookup {
  const isOpen = openAddresses(allowedRanges);
  return {
    isClosed: (host) => isIP(host) !== 0 && !isOpen(host),
    lookup(host, options, done) {
      openAddressesOf(host, { isOpen, resolve }, AbortSignal.timeout(lookupMs)).then(
        (open) => giveAddresses(open, options, done),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), ''),
      );
    },
  };
}

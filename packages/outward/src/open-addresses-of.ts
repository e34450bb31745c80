// Name lookup that gives only addresses on the internet, in the form in which Node asks for them.
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { OutwardError } from './outward-error.ts';
import type { Resolve } from './resolve.ts';

export interface NameLookup {
  readonly isOpen: (address: string) => boolean;
  readonly resolve: Resolve;
}

/** An unknown name and one of private addresses give the same error. */
export async function openAddressesOf(
  host: string,
  { isOpen, resolve }: NameLookup,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const found = isIP(host) === 0 ? await resolve(host, signal).catch(() => []) : [host];
  signal.throwIfAborted();
  const open = found.filter(isOpen).map((address) => ({ address, family: isIP(address) }));
  if (open.length === 0) throw new OutwardError('address', `${host} has no address on the internet.`);
  return open;
}

/** Some callers of a lookup want all addresses, and others one. */
type LookupDone = (error: null, address: string | LookupAddress[], family?: number) => void;

export function giveAddresses(open: readonly LookupAddress[], { all }: LookupOptions, done: LookupDone): void {
  const [first] = open;
  if (all) done(null, [...open]);
  else done(null, first?.address ?? '', first?.family);
}

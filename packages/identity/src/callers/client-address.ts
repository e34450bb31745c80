// Client address of a request. Only addresses added by a trusted proxy are believed: any client can send
// X-Forwarded-For.
import { isIP } from 'node:net';
import { plainAddress } from './trusted-proxies.ts';

/**
 * Returns the nearest address that is not a trusted proxy. Each proxy appends the peer it saw to X-Forwarded-For, so
 * the list is read from its end; entries further left were sent by the client itself.
 */
export function clientAddress(
  peer: string,
  forwardedFor: readonly string[],
  isTrusted: (address: string) => boolean,
): string {
  let client = plainAddress(peer);
  if (!isTrusted(client)) return client;
  const hops = forwardedFor.flatMap((value) => value.split(',')).map((hop) => plainAddress(hop.trim()));
  for (const hop of hops.toReversed()) {
    if (isIP(hop) === 0) return client;
    client = hop;
    if (!isTrusted(hop)) return client;
  }
  return client;
}

/** Groups IPv6 addresses by /64, because a client with one address usually has the whole /64. */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => 0);
  const network = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** A trailing IPv4 address fills two groups. It is never among the first four, so zeros stand in for it. */
const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));

/** This machine, for example a proxy beside the server. */
export const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

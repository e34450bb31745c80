// Where a request comes from. Only what a trusted proxy says of it is believed: anybody can send X-Forwarded-For.
import { isIP } from 'node:net';
import { plainAddress } from './trusted-proxies.ts';

/**
 * The address nearest to us that is no trusted proxy. Each proxy adds the peer it saw at the end of X-Forwarded-For, so the list is
 * read from there; what stands further left was sent by the client itself.
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

/** Whoever has one IPv6 address usually has the whole /64, so those count as one. */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => 0);
  const network = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** An IPv4 address at the end stands for two groups, and never for one of the first four. */
const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));

/** This machine itself, such as an edge beside the server. */
export const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

import { BlockList, isIP } from 'node:net';

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Node reports an IPv4 peer of a dual-stack socket as `::ffff:192.0.2.1`; this returns the plain form. */
export const plainAddress = (address: string): string =>
  address.startsWith(':') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address;

/** Tests whether a peer is one of the proxies that the operator placed in front of the server. */
export function trustedProxies(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    if (prefix === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(prefix), family(address));
  }
  if (ranges.length === 0) return () => false;
  return (peer) => {
    const address = plainAddress(peer);
    return isIP(address) !== 0 && list.check(address, family(address));
  };
}

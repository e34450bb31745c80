// Which addresses are on the internet. For IPv4 everything is open but the listed ranges; for IPv6 only the global range
// is, so that embedded IPv4 addresses (mapped, NAT64) and unique-local ones are closed without being listed.
import { BlockList, isIP } from 'node:net';

/** This network, private, shared, loopback, link-local, protocol, documentation, benchmark, multicast, reserved. */
const closedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Looks public, but answers inside a machine of Azure only: its platform service.
  '168.63.129.16/32',
];
const globalIpv6 = ['2000::/3'];
/** Inside the global range: Teredo and other protocols, documentation, 6to4. */
const closedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

type Family = 'ipv4' | 'ipv6';

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 6 ? 'ipv6' : 'ipv4';
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const closed4 = listOf(closedIpv4);
const global6 = listOf(globalIpv6);
const closed6 = listOf(closedIpv6);

/** `allowedRanges` are addresses and ranges that are open although they are not on the internet. */
export function openAddresses(allowedRanges: readonly string[]): (address: string) => boolean {
  const allowed = listOf(allowedRanges);
  return (address) => {
    const family = familyOf(address);
    // A zone (`fe80::1%eth0`) belongs to link-local addresses only, and the lists cannot read it.
    if (family === undefined || address.includes('%')) return false;
    if (allowedRanges.length > 0 && allowed.check(address, family)) return true;
    if (family === 'ipv4') return !closed4.check(address, 'ipv4');
    return global6.check(address, 'ipv6') && !closed6.check(address, 'ipv6');
  };
}

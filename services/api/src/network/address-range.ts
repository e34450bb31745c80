// Checks address ranges of the config. A range that PostgreSQL would refuse must stop the start instead of failing the
// first allocation.
import { isIPv4, isIPv6 } from 'node:net';

/** Undefined for a usable range, otherwise the reason why it is not. */
export function rangeFault(text: string): string | undefined {
  const [address = '', length = '', ...rest] = text.split('/');
  const width = isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : undefined;
  if (width === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length))
    return 'is not a range such as 203.0.113.0/24';
  const fixed = Number(length);
  if (fixed > width) return `has a prefix longer than ${width}`;
  const hostBits = BigInt(width - fixed);
  const value = width === 32 ? ofIPv4(address) : ofIPv6(address);
  return value % (1n << hostBits) === 0n ? undefined : 'has bits set behind its prefix';
}

const ofIPv4 = (address: string): bigint => address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);

function ofIPv6(address: string): bigint {
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => 0n);
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65_536n + group, 0n);
}

/** The last group of an IPv6 address may be written as an IPv4 address, which counts as two groups. */
function groupsOf(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const value = ofIPv4(group);
    return [value / 65_536n, value % 65_536n];
  });
}

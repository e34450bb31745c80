import { expect, test } from 'vitest';
import { openAddresses } from './open-address.ts';

const isOpen = openAddresses([]);

test.each([
  ['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '223.255.255.254'],
  ['2606:4700:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888'],
])('addresses of the internet are open', (...addresses) => {
  expect(addresses.filter((address) => !isOpen(address))).toEqual([]);
});

test.each([
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['shared (CGNAT)', '100.64.0.1', '100.127.255.255'],
  ['link-local', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  ['metadata', '169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'],
  ['unique-local', 'fc00::1', 'fdff::1'],
  ['site-local', 'fec0::1'],
  ['mapped', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
  ['compatible', '::127.0.0.1', '::7f00:1'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1'],
  ['6to4 and Teredo', '2002:7f00:1::', '2001::7f00:1'],
  ['multicast and broadcast', '224.0.0.1', '239.255.255.250', '255.255.255.255', 'ff02::1'],
  ['reserved and documentation', '240.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['no address at all', '', 'localhost', '127.1', '0x7f000001', '1.2.3.4.5'],
])('%s addresses are closed', (_kind, ...addresses) => {
  expect(addresses.filter(isOpen)).toEqual([]);
});

test('an allowed range opens what it holds and nothing else', () => {
  const withRanges = openAddresses(['10.1.0.0/16', '127.0.0.2', 'fd12::/16']);
  expect(['10.1.2.3', '127.0.0.2', 'fd12::9', '8.8.8.8'].filter((address) => !withRanges(address))).toEqual([]);
  expect(['10.2.0.1', '127.0.0.1', 'fd13::9', '::1'].filter(withRanges)).toEqual([]);
});

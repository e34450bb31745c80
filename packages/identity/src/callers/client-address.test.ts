import { expect, test } from 'vitest';
import { addressGroup, clientAddress } from './client-address.ts';
import { trustedProxies } from './trusted-proxies.ts';

const isTrusted = trustedProxies(['10.0.0.0/8', '2001:db8:1::/48']);

test.each([
  ['a peer that is no proxy is the client, whatever it says', '203.0.113.9', ['198.51.100.1'], '203.0.113.9'],
  ['a proxy names its peer last', '10.0.0.1', ['198.51.100.1'], '198.51.100.1'],
  [
    'what the client itself sent stands further left',
    '10.0.0.1',
    ['127.0.0.1, 192.0.2.7, 198.51.100.1'],
    '198.51.100.1',
  ],
  ['a chain of proxies is followed', '10.0.0.1', ['203.0.113.9, 198.51.100.1, 10.0.0.2'], '198.51.100.1'],
  ['two headers are one list', '10.0.0.1', ['203.0.113.9', '198.51.100.1'], '198.51.100.1'],
  ['text that is no address ends the list', '10.0.0.1', ['198.51.100.1, unknown'], '10.0.0.1'],
  ['a proxy that names nobody is counted itself', '10.0.0.1', [], '10.0.0.1'],
  ['the long form of an IPv4 address is the short one', '::ffff:10.0.0.1', ['::ffff:198.51.100.1'], '198.51.100.1'],
  ['proxies may have IPv6 addresses', '2001:db8:1::5', ['2001:db8:2::7'], '2001:db8:2::7'],
])('%s', (_, peer, forwardedFor, client) => {
  expect(clientAddress(peer, forwardedFor, isTrusted)).toBe(client);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['none', 'none'],
])('%s is counted as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

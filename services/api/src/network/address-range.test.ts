import { expect, test } from 'vitest';
import { rangeFault } from './address-range.ts';

test.each([
  '203.0.113.0/24',
  '10.0.0.0/8',
  '0.0.0.0/0',
  '203.0.113.7/32',
  '2001:db8::/64',
  '::/0',
  '::ffff:203.0.113.0/120',
  '2001:db8:0:1::/64',
])('%s can be used', (range) => {
  expect(rangeFault(range)).toBeUndefined();
});

test.each([
  ['203.0.113.0', 'is not a range such as 203.0.113.0/24'],
  ['203.0.113.0/24/1', 'is not a range such as 203.0.113.0/24'],
  ['999.0.113.0/24', 'is not a range such as 203.0.113.0/24'],
  ['fe80::1%eth0/64', 'is not a range such as 203.0.113.0/24'],
  ['203.0.113.0/33', 'has a prefix longer than 32'],
  ['2001:db8::/129', 'has a prefix longer than 128'],
  ['203.0.113.5/24', 'has bits set behind its prefix'],
  ['2001:db8::1/64', 'has bits set behind its prefix'],
])('%s %s', (range, fault) => {
  expect(rangeFault(range)).toBe(fault);
});

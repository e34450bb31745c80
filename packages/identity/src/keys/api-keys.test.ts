import { createHash } from 'node:crypto';
import { defaultBrand } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashSecret, newApiKey, newClientSecret, parseExpiry } from './api-keys.ts';

test('a key has the brand, 40 random characters, a checksum and an id of its own', () => {
  const { id, value, hash } = newApiKey({ ...defaultBrand, short: 'acme' });
  expect(id).toMatch(/^ak_[0-9A-Za-z]{20}$/);
  expect(value).toMatch(/^acme_[0-9A-Za-z]{46}$/);
  expect(hash).toEqual(createHash('sha256').update(value).digest());
});

test('a client secret comes with its hash', () => {
  const { value, hash } = newClientSecret();
  expect(value).toMatch(/^cs_[0-9A-Za-z]{40}$/);
  expect(hashSecret(value)).toEqual(hash);
});

test('every character of a key is equally likely', () => {
  const seen = new Map<string, number>();
  for (let round = 0; round < 3000; round += 1) {
    for (const character of newClientSecret().value.slice(3)) seen.set(character, (seen.get(character) ?? 0) + 1);
  }
  const expected = (3000 * 40) / 62;
  expect(seen.size).toBe(62);
  // Allows six standard deviations of a fair draw. The remainder of a byte would put eight characters 25 % above the
  // others.
  const allowed = 6 * Math.sqrt(expected);
  for (const count of seen.values()) expect(Math.abs(count - expected)).toBeLessThan(allowed);
});

test.each([
  ['90s', 90],
  ['15m', 900],
  ['24h', 86_400],
  ['30d', 2_592_000],
  ['1w', 604_800],
  ['3650d', 315_360_000],
])('an expiry of %s is %i seconds', (text, seconds) => {
  expect(parseExpiry(text)).toBe(seconds);
});

test.each([
  '',
  '0d',
  '-1d',
  '1.5h',
  '3651d',
  '999999999999999999999w',
  '1y',
  'd',
  '30',
  ' 1d',
  '1d\n',
  '1D',
  '٣d',
  '1e3s',
])('an expiry of %j is refused', (text) => {
  expect(parseExpiry(text)).toBeUndefined();
});

test('whatever the text, an expiry is between one second and ten years', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,12}[smhdw]$/)), (text) => {
      const seconds = parseExpiry(text) ?? 1;
      expect(seconds >= 1 && seconds <= 315_360_000 && Number.isInteger(seconds)).toBe(true);
    }),
  );
});

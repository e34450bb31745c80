import { createHash } from 'node:crypto';
import { defaultBrand } from '@berth/contract';
import { expect, test } from 'vitest';
import { newApiKey } from './api-keys.ts';
import { newClientSecret } from './client-secret.ts';
import { hashSecret } from './hash-secret.ts';

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

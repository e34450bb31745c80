import { expect, test } from 'vitest';
import { isPublicAddress, requirePublicRegistry } from './public-registry.ts';

test.each([
  ['1.1.1.1', true],
  ['10.0.0.5', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['172.31.0.1', false],
  ['100.96.0.2', false],
  ['0.0.0.0', false],
  ['2606:4700::1111', true],
  ['::1', false],
  ['::', false],
  ['::ffff:127.0.0.1', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['64:ff9b::a00:1', false],
  ['2002:7f00:1::', false],
  ['2001:db8::1', false],
  ['not an address', false],
])('%s is on the internet: %s', (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});

const ask = (addresses: readonly string[]) =>
  requirePublicRegistry('registry.example:5000', async (host) => (host === 'registry.example' ? addresses : []));

test('a registry is asked only if all of its addresses are on the internet', async () => {
  await ask(['1.1.1.1', '2606:4700::1111']);
  await expect(ask(['1.1.1.1', '10.0.0.5'])).rejects.toMatchObject({ fault: 'unavailable' });
});

test('a tenant gets the same message for a private and for an unknown registry name', async () => {
  const [hidden, unknown] = await Promise.all([ask(['10.0.0.5']), ask([])].map((asked) => asked.catch(String)));
  expect(hidden).toBe(unknown);
  expect(hidden).toContain('api.allowedRegistries');
});

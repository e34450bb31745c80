import { expect, test } from 'vitest';
import { ownAddressesOf } from './network-settings.ts';

test('the address of the api is known by its name and by its number; one without IPv4 has none to close', async () => {
  const of = (apiUrl: string) => ownAddressesOf({ apiUrl });
  expect(await of('https://203.0.113.9:8081')).toEqual(['203.0.113.9']);
  expect(await of('https://localhost:8081')).toContain('127.0.0.1');
  expect(await of('https://[::1]:8081')).toEqual([]);
});

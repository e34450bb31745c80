import { expect, test } from 'vitest';
import { ownAddressesOf } from './network-settings.ts';

test('the api’s address is found by name and by number; an api without IPv4 has no address to close', async () => {
  const of = (apiUrl: string) => ownAddressesOf({ apiUrl });
  expect(await of('https://203.0.113.9:8081')).toEqual(['203.0.113.9']);
  expect(await of('https://localhost:8081')).toContain('127.0.0.1');
  expect(await of('https://[::1]:8081')).toEqual([]);
});

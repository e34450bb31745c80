import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { createOpenLookup, type OpenLookupOptions } from './open-lookup.ts';

const names: Readonly<Record<string, readonly string[]>> = {
  open: ['8.8.8.8', '2001:4860:4860::8888'],
  mixed: ['10.0.0.1', '8.8.4.4', '::1'],
  inside: ['10.0.0.1', '169.254.169.254'],
};
const lookups = (options: OpenLookupOptions = {}) =>
  createOpenLookup({ resolve: async (host) => names[host] ?? [], ...options });

/** What Node gets for a name. */
const ask = (host: string, all: boolean, { lookup } = lookups()) =>
  new Promise<string | LookupAddress[]>((resolve, reject) =>
    lookup(host, { all }, (error, found) => (error === null ? resolve(found) : reject(error))),
  );

test('a name gives those of its addresses that are on the internet, all of them or the first', async () => {
  expect(await ask('open', true)).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2001:4860:4860::8888', family: 6 },
  ]);
  expect(await ask('mixed', true)).toEqual([{ address: '8.8.4.4', family: 4 }]);
  expect(await ask('mixed', false)).toBe('8.8.4.4');
});

test('a name of private addresses and an unknown name give the same error', async () => {
  for (const host of ['inside', 'unknown'])
    await expect(ask(host, true)).rejects.toMatchObject({
      reason: 'address',
      message: `${host} has no address on the internet.`,
    });
});

test('each new connection asks for the name again', async () => {
  const answers = [['8.8.8.8'], ['10.0.0.1']];
  const changing = lookups({ resolve: async () => answers.shift() ?? [] });
  expect(await ask('name', false, changing)).toBe('8.8.8.8');
  await expect(ask('name', false, changing)).rejects.toMatchObject({ reason: 'address' });
});

test('addresses in numbers are closed unless they are on the internet or allowed; names are not judged by their text', () => {
  const { isClosed } = lookups({ allowedRanges: ['10.1.0.0/16'] });
  expect(['10.0.0.1', '127.0.0.1', '::1', '::ffff:8.8.8.8'].filter((host) => !isClosed(host))).toEqual([]);
  expect(['8.8.8.8', '10.1.2.3', 'inside', 'localhost'].filter(isClosed)).toEqual([]);
});

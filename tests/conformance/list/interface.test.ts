import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { operations, pendingOperations } from '@berth/contract';
import { expect, test } from 'vitest';
import { interfaceFaults, type ListedOperation, ofInterface, readOperations } from './interface.ts';

const text = readFileSync(resolve(import.meta.dirname, '../operations.yaml'), 'utf8');
const listed = readOperations(text);

test('served and pending operations are the whole interface, by method, path and base, and nothing more but additions', () => {
  expect(interfaceFaults(listed, operations, pendingOperations)).toEqual([]);
  const served = operations.filter(({ isAddition }) => isAddition !== true);
  expect(served.length + pendingOperations.length).toBe(ofInterface(listed).length);
});

const header = /^# Count: (\d+) operations of the interface and (\d+) of our own/m.exec(text);

test('the header of the list counts its operations', () => {
  const expected = ofInterface(listed).length;
  expect(header?.slice(1).map(Number)).toEqual([expected, listed.length - expected]);
});

const drive = { method: 'GET', path: '/drives', section: '1.12' };
const own = { method: 'GET', path: '/budgets', section: 'own' };
const addition = { ...own, isAddition: true as const };

test('an addition that is listed under own is right', () => {
  expect(interfaceFaults([drive, own], [drive, addition], [])).toEqual([]);
});

type Addresses = readonly Omit<ListedOperation, 'section'>[];

test.each<[string, readonly ListedOperation[], Addresses, Addresses, RegExp]>([
  ['an operation that nobody offers', [drive], [], [], /served nor pending: GET \/drives/],
  ['one that only its method tells apart', [drive], [drive, { ...drive, method: 'PUT' }], [], /interface: PUT/],
  ['one that only its base tells apart', [drive], [drive], [{ ...drive, base: 'api_url' as const }], /\(api_url\)/],
  ['one that calls itself an addition', [drive], [drive, { ...drive, isAddition: true as const }], [], /addition: GET/],
  ['one that is served and pending at once', [drive], [drive], [drive], /twice: GET/],
  ['an addition that the list lacks', [drive], [drive, addition], [], /not listed under own: GET \/budgets/],
  ['an addition of the list that is not served', [drive, own], [drive], [], /no addition: GET \/budgets/],
  ['an addition that is listed twice', [own, own], [addition], [], /twice: GET/],
])('%s is a fault', (_what, wanted, served, pending, fault) => {
  expect(interfaceFaults(wanted, served, pending)).toEqual([expect.stringMatching(fault)]);
});

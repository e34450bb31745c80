import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { operations, pendingOperations } from '@berth/contract';
import { expect, test } from 'vitest';
import { interfaceFaults, readOperations } from './interface.ts';

const listed = readOperations(readFileSync(resolve(import.meta.dirname, '../operations.yaml'), 'utf8'));

test('served and pending operations are the whole interface, by method, path and base, and nothing more but additions', () => {
  expect(interfaceFaults(listed, operations, pendingOperations)).toEqual([]);
  const ofInterface = operations.filter(({ isAddition }) => isAddition !== true);
  expect(ofInterface.length + pendingOperations.length).toBe(listed.length);
});

const drive = { method: 'GET', path: '/drives' };

test.each([
  ['an operation that nobody offers', [drive], [], [], /served nor pending: GET \/drives/],
  ['one that only its method tells apart', [drive], [drive, { ...drive, method: 'PUT' }], [], /interface: PUT/],
  ['one that only its base tells apart', [drive], [drive], [{ ...drive, base: 'api_url' as const }], /\(api_url\)/],
  ['one that calls itself an addition', [drive], [drive, { ...drive, isAddition: true as const }], [], /addition: GET/],
  ['one that is served and pending at once', [drive], [drive], [drive], /twice: GET/],
])('%s is a fault', (_what, wanted, served, pending, fault) => {
  expect(interfaceFaults(wanted, served, pending)).toEqual([expect.stringMatching(fault)]);
});

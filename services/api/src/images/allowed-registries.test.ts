import { expect, test } from 'vitest';
import { registryFault } from './allowed-registries.ts';

test.each([
  ['docker.io', undefined],
  ['registry.example', undefined],
  ['registry.example:5000', undefined],
  ['127.0.0.1:9070', 'not-public'],
  ['10.0.0.5:5000', 'not-public'],
  ['127.1', 'not-public'],
  ['2130706433:80', 'not-public'],
  ['0x7f000001:80', 'not-public'],
  ['127.0.0.0x1', 'not-public'],
  ['localhost', 'not-public'],
  ['localhost:5000', 'not-public'],
  ['some.localhost', 'not-public'],
  ['postgres:5432', 'not-public'],
])('without a list, %s is refused as %s', (registry, fault) => {
  expect(registryFault(registry, [])).toBe(fault);
  expect(registryFault(registry, ['*', 'other:1'])).toBe(fault);
});

test.each([
  ['registry.example:5000', undefined],
  ['127.0.0.1:5000', undefined],
  ['127.0.0.1:5001', 'not-allowed'],
  ['other.example', 'not-allowed'],
  ['docker.io', 'not-allowed'],
])('with a list, %s is refused as %s', (registry, fault) => {
  expect(registryFault(registry, ['registry.example:5000', '127.0.0.1:5000'])).toBe(fault);
});

test('the entry default is the registry of references that name none', () => {
  expect(registryFault('docker.io', ['default'])).toBeUndefined();
});

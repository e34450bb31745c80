import { expect, test } from 'vitest';
import { acceptsGzip } from './accepts-gzip.ts';

test.each([
  ['gzip', true],
  ['deflate, GZIP;q=0.5, br', true],
  ['x-gzip', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['identity', false],
  ['*', false],
  ['gzipped', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %j allows gzip: %j', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});

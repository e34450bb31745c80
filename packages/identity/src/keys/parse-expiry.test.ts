import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExpiry } from './parse-expiry.ts';

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

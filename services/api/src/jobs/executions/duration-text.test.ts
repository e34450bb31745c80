import { durationSeconds } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationText } from './duration-text.ts';

test.each([
  [1, '1s'],
  [90, '90s'],
  [60, '1m'],
  [1800, '30m'],
  [3600, '1h'],
  [86_400, '24h'],
])('%i seconds are written as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test('a duration that is formatted and parsed again is the same', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 86_400 }), (s) => durationSeconds(durationText(s)) === s));
});

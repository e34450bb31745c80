import { expect, test } from 'vitest';
import { durationSeconds } from './duration.ts';
import { Duration } from './schema/text.ts';

test('every unit counts in seconds', () => {
  expect(['30s', '5m', '24h', '7d', '2w'].map(durationSeconds)).toEqual([30, 300, 86_400, 604_800, 1_209_600]);
});

test('a malformed duration has no seconds', () => {
  for (const text of ['', '0s', '5', 's', '-1d', '1.5h', '1y', '01m', ' 1m', '1m\n']) {
    expect(durationSeconds(text)).toBeUndefined();
    expect(Duration.safeParse(text).success).toBe(false);
  }
});

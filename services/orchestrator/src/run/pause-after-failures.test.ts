import { expect, test } from 'vitest';
import { pauseAfterFailuresMs } from './pause-after-failures.ts';

test('the pause doubles with each failure, from 5 seconds to 5 minutes, and is never random', () => {
  for (let failures = 1; failures <= 100; failures += 1) {
    expect(pauseAfterFailuresMs(failures)).toBe(Math.min(300_000, 5_000 * 2 ** (failures - 1)));
  }
});

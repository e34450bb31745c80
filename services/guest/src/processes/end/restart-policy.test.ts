import { expect, test } from 'vitest';
import { finalStatus, restartText, shouldRestart } from './restart-policy.ts';

const state = { desired: 'run', signals: [], restartOnFailure: true, maxRestarts: 2, restartCount: 0 } as const;
const wishes = (
  change: Partial<{
    desired: 'run' | 'stopped' | 'killed';
    signals: number[];
    maxRestarts: number;
    restartCount: number;
    restartOnFailure: boolean;
  }>,
) => ({
  ...state,
  signals: [],
  ...change,
});

test('a failed attempt is followed by another one while restarts are left', () => {
  expect(shouldRestart(wishes({}), { code: 1, signal: 0 })).toBe(true);
  expect(shouldRestart(wishes({}), { code: 137, signal: 9 })).toBe(true);
  expect(shouldRestart(wishes({ restartCount: 2 }), { code: 1, signal: 0 })).toBe(false);
  expect(shouldRestart(wishes({ restartCount: 2000, maxRestarts: -1 }), { code: 1, signal: 0 })).toBe(true);
  expect(shouldRestart(wishes({ restartOnFailure: false }), { code: 1, signal: 0 })).toBe(false);
  expect(shouldRestart(wishes({}), { code: 0, signal: 0 })).toBe(false);
});

test('R-13 an end that was asked for is no failure, whatever the exit code', () => {
  for (const desired of ['stopped', 'killed'] as const) {
    expect(shouldRestart(wishes({ desired }), { code: 143, signal: 15 })).toBe(false);
    expect(finalStatus(wishes({ desired }), { code: 0, signal: 0 })).toBe(desired);
  }
  expect(finalStatus(wishes({ signals: [1] }), { code: 129, signal: 1 })).toBe('stopped');
  expect(finalStatus(wishes({ signals: [1] }), { code: 1, signal: 0 })).toBe('failed');
});

test('the restart marker counts attempts against their limit', () => {
  expect(restartText(wishes({ restartCount: 1 }), { code: 3, signal: 0 })).toContain('Attempting restart 2/2');
  expect(restartText(wishes({ maxRestarts: -1 }), { code: 3, signal: 0 })).toContain('Attempting restart 1/unlimited');
});

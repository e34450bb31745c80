import { expect, test } from 'vitest';
import type { StageResult } from './run-stage.ts';
import { summary } from './summary.ts';
import { limitSeconds } from './time-budget.ts';

const stage = (changes: Partial<StageResult>): StageResult => ({
  name: 'tests',
  ok: true,
  passed: 3,
  failed: 0,
  skipped: 0,
  seconds: 5,
  failures: [],
  fileSeconds: {},
  ...changes,
});
const small = { isFull: false, seconds: 5 };

test('the last line counts all stages, and names skipped tests where there are some', () => {
  expect(summary([stage({}), stage({ passed: 4 })], small).at(-1)).toBe('7 passed, 0 failed');
  expect(summary([stage({ skipped: 2 }), stage({ failed: 1, ok: false })], small).at(-1)).toBe(
    '6 passed, 1 failed, 2 skipped',
  );
});

test('the ten slowest files are listed, the slowest first', () => {
  const fileSeconds = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`file-${index}.test.ts`, index]));
  const listed = summary([stage({ fileSeconds })], small).filter((line) => line.includes('file-'));
  expect(listed).toHaveLength(10);
  expect(listed[0]).toContain('file-11.test.ts');
});

test('a file beyond twice its share is warned of, in the small size only', () => {
  const slow = stage({ fileSeconds: { 'some.test.ts': 1_000 } });
  const warned = (isFull: boolean) =>
    summary([slow], { ...small, isFull }).filter((line) => line.startsWith('warning: some'));
  expect(warned(false)).toHaveLength(1);
  expect(warned(true)).toHaveLength(0);
});

test('a run beyond the limit is warned of', () => {
  const told = (seconds: number) => summary([stage({})], { ...small, seconds }).join();
  expect(told(limitSeconds + 1)).toContain('warning: the run took');
  expect(told(limitSeconds - 1)).not.toContain('warning');
});

test('failed tests are named right above the last line', () => {
  const failed = stage({ ok: false, failed: 1, failures: ['one.test.ts: it holds: expected 1 to be 2'] });
  expect(summary([failed, stage({})], small).at(-2)).toBe('failed: one.test.ts: it holds: expected 1 to be 2');
});

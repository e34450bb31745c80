import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMonths, monthAt, monthPeriod } from './month.ts';

const times = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) });

test('every moment lies in the period of its month, and the next month begins where it ends', () => {
  fc.assert(
    fc.property(times, (ms) => {
      const month = monthAt(ms);
      const { fromMs, toMs } = monthPeriod(month);
      expect(fromMs <= ms && ms < toMs).toBe(true);
      expect(monthPeriod(addMonths(month, 1)).fromMs).toBe(toMs);
    }),
  );
});

test('months are added over the end of a year, also from the last day of a long month', () => {
  expect(monthAt(Date.UTC(2028, 0, 31, 23, 59, 59, 999))).toBe('2028-01');
  expect([addMonths('2028-01', 1), addMonths('2027-12', 1), addMonths('2028-01', -13)]).toEqual([
    '2028-02',
    '2028-01',
    '2026-12',
  ]);
  expect(monthPeriod('2028-02')).toEqual({ fromMs: Date.UTC(2028, 1, 1), toMs: Date.UTC(2028, 2, 1) });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMemoryShort, isShort, stalledPercentIn } from './pressure.ts';

test('pressure begins below one threshold and ends above the other', () => {
  const marks = { below: 10, until: 20 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1 }), (seen) => {
      let was = false;
      for (const left of seen) {
        const is = isShort(was, left, marks);
        if (is !== was) expect(was ? left >= 20 : left < 10).toBe(true);
        was = is;
      }
    }),
  );
});

test('a machine that stalls on memory is short of it sooner, unless much memory is free', () => {
  const isShortOf = (freeMb: number, stalledPercent: number, was = false) =>
    isMemoryShort(was, { freeMb, stalledPercent }, 500);
  expect([isShortOf(600, 0), isShortOf(400, 0)]).toEqual([false, true]);
  expect([isShortOf(1_900, 20), isShortOf(2_100, 20)]).toEqual([true, false]);
  expect([isShortOf(900, 0, true), isShortOf(1_100, 0, true)]).toEqual([true, false]);
});

test('the kernel’s memory stall time is parsed, and counts as zero where it is missing', () => {
  const text = 'some avg10=12.50 avg60=3.00 avg300=1.00 total=9\nfull avg10=7.25 avg60=2.00 avg300=0.50 total=5\n';
  expect([stalledPercentIn(text), stalledPercentIn('')]).toEqual([7.25, 0]);
});

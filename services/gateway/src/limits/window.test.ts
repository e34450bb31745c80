import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type WindowLength, windowAt } from './window.ts';

const granularity = fc.constantFrom('minute', 'hour', 'day', 'month');
const length: fc.Arbitrary<WindowLength> = fc.record({ step: fc.integer({ min: 1, max: 100_000 }), granularity });
/** Until the year 2100, with every millisecond. */
const moment = fc.integer({ min: 0, max: Date.UTC(2100, 0) });

test('a window contains its instant, and windows follow each other without gap or overlap', () => {
  fc.assert(
    fc.property(moment, length, (nowMs, of) => {
      const window = windowAt(nowMs, of);
      expect(window.startMs).toBeLessThanOrEqual(nowMs);
      expect(window.endMs).toBeGreaterThan(nowMs);
      // Every instant of a window has the same window; the edges are the instants that could have another.
      expect(windowAt(window.startMs, of)).toEqual(window);
      expect(windowAt(window.endMs - 1, of)).toEqual(window);
      expect(windowAt(window.endMs, of).startMs).toBe(window.endMs);
    }),
  );
});

test('a window begins at full units of UTC, a whole number of windows after 1970', () => {
  fc.assert(
    fc.property(moment, length, (nowMs, { step, granularity }) => {
      const start = new Date(windowAt(nowMs, { step, granularity }).startMs);
      const text = start.toISOString();
      const zeros = { minute: ':00.000Z', hour: ':00:00.000Z', day: 'T00:00:00.000Z', month: '-01T00:00:00.000Z' };
      expect(text.endsWith(zeros[granularity])).toBe(true);
      const units = {
        minute: start.getTime() / 60_000,
        hour: start.getTime() / 3_600_000,
        day: start.getTime() / 86_400_000,
        month: (start.getUTCFullYear() - 1970) * 12 + start.getUTCMonth(),
      };
      expect(units[granularity] % step).toBe(0);
    }),
  );
});

test.each<[string, number, WindowLength['granularity'], string, string]>([
  ['2026-11-19T10:17:42.123Z', 1, 'minute', '2026-11-19T10:17:00.000Z', '2026-11-19T10:18:00.000Z'],
  ['2026-11-19T10:17:42.123Z', 15, 'minute', '2026-11-19T10:15:00.000Z', '2026-11-19T10:30:00.000Z'],
  ['2026-11-19T10:17:42.123Z', 6, 'hour', '2026-11-19T06:00:00.000Z', '2026-11-19T12:00:00.000Z'],
  ['2026-11-19T23:59:59.999Z', 1, 'day', '2026-11-19T00:00:00.000Z', '2026-11-20T00:00:00.000Z'],
  // Seven days are no calendar week: 1970 began on a Thursday.
  ['2026-11-19T00:00:00.000Z', 7, 'day', '2026-11-19T00:00:00.000Z', '2026-11-26T00:00:00.000Z'],
  ['2028-02-29T12:00:00.000Z', 1, 'day', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['2028-02-29T23:59:59.999Z', 1, 'month', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['2027-02-28T23:59:59.999Z', 1, 'month', '2027-02-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', 1, 'month', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2027-01-01T00:00:00.000Z', 1, 'month', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  ['2026-11-30T00:00:00.000Z', 3, 'month', '2026-10-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2026-11-30T00:00:00.000Z', 12, 'month', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
])('%s is in the %i × %s from %s to %s', (now, step, granularity, start, end) => {
  const { startMs, endMs } = windowAt(Date.parse(now), { step, granularity });
  expect([startMs, endMs].map((ms) => new Date(ms).toISOString())).toEqual([start, end]);
});

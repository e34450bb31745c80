import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketStart, bucketStarts } from './buckets.ts';

const at = (text: string): number => Date.parse(text);
const resolutions = ['hourly', 'daily', 'weekly', 'monthly'] as const;

const startsOf = (from: string, to: string, resolution: (typeof resolutions)[number]) =>
  bucketStarts({ fromMs: at(from), toMs: at(to) }, resolution).map((ms) => new Date(ms).toISOString().slice(0, 16));

test.each([
  [
    'hourly',
    '2026-03-01T22:30:00Z',
    '2026-03-02T01:00:00Z',
    ['2026-03-01T22:00', '2026-03-01T23:00', '2026-03-02T00:00'],
  ],
  ['hourly', '2026-03-01T22:00:00Z', '2026-03-01T22:00:00.001Z', ['2026-03-01T22:00']],
  ['hourly', '2026-03-01T22:59:59.999Z', '2026-03-01T23:00:00.001Z', ['2026-03-01T22:00', '2026-03-01T23:00']],
  ['daily', '2024-02-28T12:00:00Z', '2024-03-01T00:00:00Z', ['2024-02-28T00:00', '2024-02-29T00:00']],
  ['daily', '2025-02-28T12:00:00Z', '2025-03-02T00:00:00Z', ['2025-02-28T00:00', '2025-03-01T00:00']],
  // 2026-03-02 is a Monday.
  ['weekly', '2026-03-01T23:59:59Z', '2026-03-09T00:00:00Z', ['2026-02-23T00:00', '2026-03-02T00:00']],
  ['weekly', '2026-03-02T00:00:00Z', '2026-03-09T00:00:01Z', ['2026-03-02T00:00', '2026-03-09T00:00']],
  ['weekly', '2025-12-31T00:00:00Z', '2026-01-01T00:00:00Z', ['2025-12-29T00:00']],
  [
    'monthly',
    '2026-01-31T00:00:00Z',
    '2026-04-01T00:00:00Z',
    ['2026-01-01T00:00', '2026-02-01T00:00', '2026-03-01T00:00'],
  ],
  ['monthly', '2024-02-29T12:00:00Z', '2024-03-01T00:00:00.001Z', ['2024-02-01T00:00', '2024-03-01T00:00']],
  ['monthly', '0050-12-31T00:00:00Z', '0051-01-02T00:00:00Z', ['0050-12-01T00:00', '0051-01-01T00:00']],
] as const)('%s buckets from %s to %s are hours, days, Mondays or months of UTC', (resolution, from, to, starts) => {
  expect(startsOf(from, to, resolution)).toEqual(starts);
});

const instant = fc.integer({ min: at('1969-06-01T00:00:00Z'), max: at('2100-01-01T00:00:00Z') });

test.each(resolutions)('%s buckets cover every window without a gap, and begin where they say', (resolution) => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 1, max: 9 * 86_400_000 }), (fromMs, lengthMs) => {
      const starts = bucketStarts({ fromMs, toMs: fromMs + lengthMs }, resolution);
      const edges = [fromMs, fromMs + lengthMs - 1].map((ms) => bucketStart(resolution, ms));
      expect([starts[0], starts.at(-1)]).toEqual(edges);
      const wrong = starts.filter(
        (start, index) =>
          bucketStart(resolution, start) !== start ||
          (index > 0 && bucketStart(resolution, start - 1) !== starts[index - 1]),
      );
      expect(wrong).toEqual([]);
    }),
  );
});

import type { MetricsResolution } from '@berth/contract';
import { expect, test } from 'vitest';
import { pastPart, resolutionOf, windowOf } from './window.ts';

const edge = (ms: number) => ({ text: new Date(ms).toISOString(), ms });
const askedFor = (from: string, toMs: number) => ({ startTime: edge(Date.parse(from)), endTime: edge(toMs) });
const at = (text: string): number => Date.parse(text);

/** Start, first end that is not below the length, and the resolutions on both sides. */
const lengths: readonly (readonly [string, string, MetricsResolution, MetricsResolution])[] = [
  ['2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z', 'hourly', 'daily'],
  ['2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z', 'daily', 'weekly'],
  ['2025-03-01T12:30:00Z', '2026-03-01T12:30:00Z', 'weekly', 'monthly'],
  // 366 days, because the year has 29 February.
  ['2023-03-01T00:00:00Z', '2024-03-01T00:00:00Z', 'weekly', 'monthly'],
  ['2024-02-28T00:00:00Z', '2025-02-28T00:00:00Z', 'weekly', 'monthly'],
  // The next year has no 29 February: the year is over when that day would be.
  ['2024-02-29T06:00:00Z', '2025-03-01T06:00:00Z', 'weekly', 'monthly'],
];

test.each(lengths)('a window from %s to %s is at the edge: %s below it, %s from there', (from, to, below, above) => {
  expect(resolutionOf(askedFor(from, at(to) - 1), undefined)).toBe(below);
  expect(resolutionOf(askedFor(from, at(to)), undefined)).toBe(above);
  expect(resolutionOf(askedFor(from, at(to) + 1), undefined)).toBe(above);
});

test.each(lengths)('a window from %s to %s is the longest that can be %s by request', (from, to, longest) => {
  expect(resolutionOf(askedFor(from, at(to) - 1), longest)).toBe(longest);
  expect(resolutionOf(askedFor(from, at(to)), longest)).toBe(longest);
  expect(() => resolutionOf(askedFor(from, at(to) + 1), longest)).toThrow('is longer than');
});

test('a coarse resolution fits every shorter window, and monthly fits any', () => {
  for (const resolution of ['hourly', 'daily', 'weekly', 'monthly'] as const)
    expect(resolutionOf(askedFor('2026-03-01T00:00:00Z', at('2026-03-01T00:00:00.001Z')), resolution)).toBe(resolution);
  expect(resolutionOf(askedFor('0001-01-01T00:00:00Z', at('9999-12-31T23:59:59Z')), 'monthly')).toBe('monthly');
});

test.each([0, -1, -86_400_000])('a window that ends %i ms after its start is refused', (lengthMs) => {
  const from = '2026-03-01T00:00:00Z';
  expect(() => windowOf(askedFor(from, at(from) + lengthMs))).toThrow('does not end after its start');
  expect(() => resolutionOf(askedFor(from, at(from) + lengthMs), 'monthly')).toThrow('does not end after its start');
});

test.each([
  ['is before the present', 100, 200, 300, { fromMs: 100, toMs: 200 }],
  ['reaches into the future', 100, 400, 300, { fromMs: 100, toMs: 300 }],
  ['begins before 1970', -100, 200, 300, { fromMs: 0, toMs: 200 }],
  ['begins now', 300, 400, 300, undefined],
  ['is in the future', 350, 400, 300, undefined],
  ['is before 1970', -200, -100, 300, undefined],
])('of a window that %s only its past part is read', (_what, fromMs, toMs, untilMs, part) => {
  expect(pastPart({ fromMs, toMs }, untilMs)).toEqual(part);
});

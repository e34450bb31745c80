import { monthAt, monthPeriod } from '@berth/usage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forecast } from './forecast.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const usd = 1_000_000_000_000n;
const monthOf = (ms: number) => monthPeriod(monthAt(ms));

/** A steady cost of 1 USD an hour since `since`, as seen at `now`. */
function steady(since: string, now: string): bigint {
  const nowMs = Date.parse(now);
  const month = monthOf(nowMs);
  const firstUsageMs = Math.max(Date.parse(since), nowMs - 7 * dayMs);
  const hoursFrom = (ms: number) => BigInt((nowMs - ms) / hourMs);
  return forecast({
    ...{ nowMs, monthEndMs: month.toMs, firstUsageMs },
    monthPico: hoursFrom(Math.max(Date.parse(since), month.fromMs)) * usd,
    recentPico: hoursFrom(firstUsageMs) * usd,
  });
}

test.each([
  ['2026-11-01T00:00:00Z', 720n],
  ['2026-11-01T06:00:00Z', 720n],
  ['2026-11-16T00:00:00Z', 720n],
  ['2026-11-30T23:00:00Z', 720n],
  ['2024-02-01T00:00:00Z', 696n],
  ['2024-02-29T12:00:00Z', 696n],
  ['2025-02-28T12:00:00Z', 672n],
  ['2026-12-31T23:00:00Z', 744n],
])('a steady cost of 1 USD an hour is seen at %s as %i USD for the whole month', (now, wanted) => {
  expect(steady('2020-01-01T00:00:00Z', now)).toBe(wanted * usd);
});

test('the start of a month goes on with the rate of the month before', () => {
  const nowMs = Date.parse('2026-11-01T00:00:00Z');
  const spent = { monthPico: 0n, recentPico: 168n * usd, firstUsageMs: nowMs - 7 * dayMs };
  expect(forecast({ nowMs, monthEndMs: monthOf(nowMs).toMs, ...spent })).toBe(720n * usd);
});

test('at the end of the month the forecast is the cost', () => {
  const monthEndMs = Date.parse('2026-12-01T00:00:00Z');
  const spent = { monthPico: 41n, recentPico: 1_000_000n * usd, firstUsageMs: monthEndMs - dayMs };
  expect(forecast({ nowMs: monthEndMs, monthEndMs, ...spent })).toBe(41n);
});

test('without usage in the last days the rest of the month costs nothing', () => {
  const nowMs = Date.parse('2026-11-16T00:00:00Z');
  const nothing = { recentPico: 0n, firstUsageMs: undefined };
  expect(forecast({ nowMs, monthEndMs: monthOf(nowMs).toMs, monthPico: 5n, ...nothing })).toBe(5n);
});

test('on the first day of an account its usage counts as that of a whole day', () => {
  // An hour of use on 16 November, with 15 days to come.
  expect(steady('2026-11-15T23:00:00Z', '2026-11-16T00:00:00Z')).toBe((1n + 15n) * usd);
  expect(steady('2026-11-15T00:00:00Z', '2026-11-16T00:00:00Z')).toBe((24n + 15n * 24n) * usd);
  // Later the time since the first usage counts.
  expect(steady('2026-11-13T00:00:00Z', '2026-11-16T00:00:00Z')).toBe((72n + 15n * 24n) * usd);
});

test('the forecast is never below the cost, and is rounded to the nearest integer', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
  const span = fc.integer({ min: 0, max: 31 * dayMs });
  fc.assert(
    fc.property(amount, amount, span, span, (monthPico, recentPico, sinceMs, restMs) => {
      const nowMs = 40 * dayMs;
      const times = { nowMs, monthEndMs: nowMs + restMs, firstUsageMs: nowMs - sinceMs };
      const rest = forecast({ ...times, monthPico, recentPico }) - monthPico;
      const rateMs = BigInt(Math.max(sinceMs, dayMs));
      const twiceOff = 2n * (rest * rateMs - recentPico * BigInt(restMs));
      expect(rest >= 0n && twiceOff <= rateMs && twiceOff >= -rateMs).toBe(true);
    }),
  );
});

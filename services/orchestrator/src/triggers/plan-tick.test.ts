import { expect, test } from 'vitest';
import { nextDue, planTick, tickMessageId } from './plan-tick.ts';

const noon = Date.UTC(2026, 4, 1, 12);
const minuteMs = 60_000;
const hourly = { triggerId: 'hourly', schedule: '0 * * * *' };

test('a schedule is due from its minute on, not before', () => {
  expect(planTick([{ ...hourly, nextAt: noon }], noon - 1)).toBeUndefined();
  const plan = { triggerId: 'hourly', tickAt: noon, nextAt: noon + 60 * minuteMs };
  expect(planTick([{ ...hourly, nextAt: noon }], noon)).toEqual(plan);
  expect(planTick([{ ...hourly, nextAt: noon }], noon + 59 * minuteMs)).toEqual(plan);
});

test('of several missed ticks the newest fires', () => {
  const plan = planTick([{ ...hourly, nextAt: noon }], noon + 200 * minuteMs);
  expect(plan).toEqual({ triggerId: 'hourly', tickAt: noon + 180 * minuteMs, nextAt: noon + 240 * minuteMs });
});

test('a schedule without a known tick gets its first one and fires nothing', () => {
  expect(planTick([{ ...hourly, nextAt: undefined }], noon)).toEqual({
    triggerId: 'hourly',
    tickAt: undefined,
    nextAt: noon + 60 * minuteMs,
  });
  expect(planTick([{ triggerId: 'never', schedule: '0 0 30 2 *', nextAt: undefined }], noon)?.nextAt).toBeUndefined();
});

test('the next run is due with the earliest schedule', () => {
  expect(nextDue([{ ...hourly, nextAt: undefined }])).toBeUndefined();
  expect(
    nextDue([
      { ...hourly, nextAt: noon + 1 },
      { ...hourly, nextAt: noon },
    ]),
  ).toBe(noon);
});

test('the message of a tick names its trigger and its minute', () => {
  expect(tickMessageId('nightly', noon)).toBe('cron:nightly:2026-05-01T12:00Z');
});

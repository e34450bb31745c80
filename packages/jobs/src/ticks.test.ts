import { nextTick, readCron } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstTick, newestTick } from './ticks.ts';

const minuteMs = 60_000;
const start = Date.UTC(2027, 0, 1);
const schedules = ['* * * * *', '*/7 * * * *', '0 4 * * *', '30 2 1 * *', '15 12 * * sun', '0 0 29 2 *'];

/** All ticks until `nowMs`, one after the other. */
function walk(schedule: string, nowMs: number): number[] {
  const ticks: number[] = [];
  for (let tick = firstTick(schedule, start); tick !== undefined && tick <= nowMs; tick = firstTick(schedule, tick))
    ticks.push(tick);
  return ticks;
}

test('the newest tick is the last of those that a walk through all ticks finds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...schedules),
      fc.integer({ min: 0, max: 3 * 1_440 }),
      fc.nat(59_999),
      (text, n, ms) => {
        const nowMs = start + n * minuteMs + ms;
        const ticks = walk(text, nowMs);
        for (const due of ticks.slice(0, 3)) expect(newestTick(text, due, nowMs)).toBe(ticks.at(-1));
      },
    ),
  );
});

test('the newest tick of years of missed minutes is found at once', () => {
  const nowMs = start + 5 * 366 * 1_440 * minuteMs + 12_345;
  expect(newestTick('* * * * *', start, nowMs)).toBe(nowMs - 12_345);
  expect(newestTick('0 0 29 2 *', Date.UTC(2028, 1, 29), Date.UTC(2031, 5, 1))).toBe(Date.UTC(2028, 1, 29));
});

test('a schedule that cannot be read or never fires has no tick', () => {
  expect(firstTick('every night', start)).toBeUndefined();
  expect(firstTick('0 0 30 2 *', start)).toBeUndefined();
  const read = readCron('0 4 * * *');
  expect(firstTick('0 4 * * *', start)).toBe('schedule' in read ? nextTick(read.schedule, start) : undefined);
});

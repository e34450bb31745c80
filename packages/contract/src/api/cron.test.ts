import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CronSchedule, nextTick, readCron } from './cron.ts';

const scheduleOf = (text: string) => {
  const read = readCron(text);
  if ('reason' in read) throw new Error(read.reason);
  return read.schedule;
};
const reasonOf = (text: string) => {
  const read = readCron(text);
  return 'reason' in read ? read.reason : undefined;
};

describe('cron schedules', () => {
  test('lists, ranges and steps give the values they name', () => {
    expect(scheduleOf('0,30 9-11 * * *')).toMatchObject({ minutes: [0, 30], hours: [9, 10, 11] });
    expect(scheduleOf('*/20 * * * *').minutes).toEqual([0, 20, 40]);
    expect(scheduleOf('10-30/10 * * * *').minutes).toEqual([10, 20, 30]);
    expect(scheduleOf('45/5 * * * *').minutes).toEqual([45, 50, 55]);
  });

  test('months and days of the week may be named in any case', () => {
    expect(scheduleOf('0 0 1 JAN-mar *').months).toEqual([1, 2, 3]);
    expect(scheduleOf('0 0 * * Mon,FRI').daysOfWeek).toEqual([1, 5]);
  });

  test('0 and 7 are both Sunday', () => {
    expect(scheduleOf('0 0 * * 0').daysOfWeek).toEqual([0]);
    expect(scheduleOf('0 0 * * 7').daysOfWeek).toEqual([0]);
    expect(scheduleOf('0 0 * * 5-7').daysOfWeek).toEqual([0, 5, 6]);
  });

  test('one of the two day fields may be restricted, a full one does not count', () => {
    expect(scheduleOf('0 0 15 * *').daysOfMonth).toEqual([15]);
    expect(scheduleOf('0 0 1-31 * mon').daysOfWeek).toEqual([1]);
    expect(reasonOf('0 0 15 * mon')).toMatch(/day-of-month and day-of-week/);
  });

  test.each([
    ['', /expected 5 fields/],
    ['* * * *', /expected 5 fields/],
    ['0 * * * * *', /expected 5 fields/],
    ['@hourly', /expected 5 fields/],
    ['60 * * * *', /^minute: 60/],
    ['* 24 * * *', /^hour: 24/],
    ['* * 0 * *', /^day-of-month: 0/],
    ['* * 32 * *', /^day-of-month: 32/],
    ['* * * 13 *', /^month: 13/],
    ['* * * * 8', /^day-of-week: 8/],
    ['*/0 * * * *', /^minute: a step of 0/],
    ['30-10 * * * *', /^minute: the range 30-10 is inverted/],
    ['1-2-3 * * * *', /^minute: .* not a range/],
    ['*/5/5 * * * *', /^minute: .* more than one step/],
    ['1,,2 * * * *', /^minute: .* not a value/],
    ['-1 * * * *', /^minute: .* not a value/],
    ['1.5 * * * *', /^minute: .* not a value/],
    ['mon * * * *', /^minute: .* not a value/],
    ['* * * * monday', /^day-of-week: .* not a value/],
    ['*/x * * * *', /^minute: .* not a step/],
    ['0 0 30 2 *', /^day-of-month and month: .* never fires/],
    ['0 0 31 2,4,6,9,11 *', /^day-of-month and month: .* never fires/],
    ['* * 30-31 feb *', /^day-of-month and month: .* never fires/],
  ])('%j is refused and the message names what is wrong', (text, reason) => {
    expect(reasonOf(text)).toMatch(reason);
  });

  test('any text is answered without throwing', () => {
    const characters = [...'0123456789*/,- \tabcjanmonJAN?@#'];
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...characters)).map((parts) => parts.join('')),
    );
    fc.assert(fc.property(text, (given) => void readCron(given)));
  });
});

describe('the next tick', () => {
  test.each([
    ['* * * * *', '2026-03-04T05:06:00.000Z', '2026-03-04T05:07'],
    ['* * * * *', '2026-03-04T05:06:59.999Z', '2026-03-04T05:07'],
    ['0 * * * *', '2026-12-31T23:30:00.000Z', '2027-01-01T00:00'],
    ['*/20 * * * *', '2026-03-04T05:40:00.000Z', '2026-03-04T06:00'],
    ['7-59/15 9-17/4 * * *', '2026-03-04T09:52:00.000Z', '2026-03-04T13:07'],
    ['30 2 * * *', '2026-03-04T02:29:59.999Z', '2026-03-04T02:30'],
    ['30 2 * * *', '2026-03-04T02:30:00.000Z', '2026-03-05T02:30'],
    // Ends of months.
    ['0 0 31 * *', '2026-01-31T00:00:00.000Z', '2026-03-31T00:00'],
    ['0 0 31 4,5 *', '2026-04-01T00:00:00.000Z', '2026-05-31T00:00'],
    ['59 23 28 2 *', '2026-02-28T23:59:00.000Z', '2027-02-28T23:59'],
    ['0 0 30 * *', '2026-01-30T00:00:00.000Z', '2026-03-30T00:00'],
    ['0 0 1 jan *', '2026-01-01T00:00:00.000Z', '2027-01-01T00:00'],
    // Leap years: 2028 is one, 2100 is none.
    ['0 0 29 2 *', '2026-01-01T00:00:00.000Z', '2028-02-29T00:00'],
    ['0 0 29 2 *', '2028-02-29T00:00:00.000Z', '2032-02-29T00:00'],
    ['0 0 29 2 *', '2096-02-29T00:00:00.000Z', '2104-02-29T00:00'],
    ['0 0 29 * *', '2100-02-01T00:00:00.000Z', '2100-03-29T00:00'],
    // 4 March 2026 is a Wednesday.
    ['15 10 * * wed', '2026-03-04T10:14:00.000Z', '2026-03-04T10:15'],
    ['15 10 * * wed', '2026-03-04T10:15:00.000Z', '2026-03-11T10:15'],
    ['0 8 * * mon-fri', '2026-03-06T08:00:00.000Z', '2026-03-09T08:00'],
    ['0 0 * * 7', '2026-03-04T00:00:00.000Z', '2026-03-08T00:00'],
    ['0 0 * feb sun', '2026-02-22T00:00:00.000Z', '2027-02-07T00:00'],
    // Before 1970.
    ['0 0 1 1 *', '1969-06-01T00:00:00.000Z', '1970-01-01T00:00'],
    ['*/30 * * * *', '1969-12-31T23:29:59.999Z', '1969-12-31T23:30'],
  ])('of %j after %s is %s', (text, after, tick) => {
    expect(nextTick(scheduleOf(text), Date.parse(after))).toBe(Date.parse(`${tick}:00.000Z`));
  });

  test('is missing for a date that no year has, and that is known at once', () => {
    const all = scheduleOf('* * * * *');
    const before = process.threadCpuUsage().user;
    for (const never of [
      { ...all, daysOfMonth: [30, 31], months: [2] },
      { ...all, daysOfMonth: [31], months: [2, 4, 6, 9, 11] },
      { ...all, minutes: [] },
    ]) {
      expect(nextTick(never, Date.parse('2026-03-04T05:06:07Z'))).toBeUndefined();
    }
    // A search minute by minute would try 44 million minutes.
    expect(process.threadCpuUsage().user - before).toBeLessThan(500_000);
    expect(nextTick(all, Number.NaN)).toBeUndefined();
  });

  test('is the one that a search minute by minute finds', () => {
    const windowMinutes = 3 * 24 * 60;
    fc.assert(
      fc.property(anySchedule, anyTime, (schedule, afterMs) => {
        const tick = nextTick(schedule, afterMs);
        const naive = searchMinutes(schedule, afterMs, windowMinutes);
        if (naive !== undefined) return tick === naive;
        return tick === undefined || (tick > afterMs + (windowMinutes - 1) * 60_000 && allows(schedule, tick));
      }),
      { numRuns: 300 },
    );
  });
});

const allows = (schedule: CronSchedule, ms: number): boolean => {
  const time = new Date(ms);
  return (
    schedule.minutes.includes(time.getUTCMinutes()) &&
    schedule.hours.includes(time.getUTCHours()) &&
    schedule.daysOfMonth.includes(time.getUTCDate()) &&
    schedule.months.includes(time.getUTCMonth() + 1) &&
    schedule.daysOfWeek.includes(time.getUTCDay())
  );
};

function searchMinutes(schedule: CronSchedule, afterMs: number, minutes: number): number | undefined {
  const first = (Math.floor(afterMs / 60_000) + 1) * 60_000;
  for (let ms = first; ms < first + minutes * 60_000; ms += 60_000) if (allows(schedule, ms)) return ms;
  return undefined;
}

/** Many or few values: with few, most ticks are far away; with many, the window of the search holds one. */
const someOf = (min: number, max: number) =>
  fc
    .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: max - min + 1 })
    .map((values) => values.toSorted((left, right) => left - right));

const anySchedule: fc.Arbitrary<CronSchedule> = fc.record({
  minutes: someOf(0, 59),
  hours: someOf(0, 23),
  daysOfMonth: someOf(1, 31),
  months: someOf(1, 12),
  daysOfWeek: someOf(0, 6),
});

/** Around ends of months and years as well as anywhere between 1990 and 2110. */
const anyTime = fc.oneof(
  fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2110, 0) }),
  fc
    .record({
      year: fc.integer({ min: 1996, max: 2104 }),
      month: fc.integer({ min: 0, max: 11 }),
      offsetMs: fc.integer({ min: -3 * 86_400_000, max: 86_400_000 }),
    })
    .map(({ year, month, offsetMs }) => Date.UTC(year, month) + offsetMs),
);

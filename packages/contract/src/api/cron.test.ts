import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCron } from './cron.ts';

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

import { describe, expect, test } from 'vitest';
import { cronTriggersOf } from './cron-triggers.ts';
import { changedRows } from './write-cron-triggers.ts';

const now = Date.UTC(2026, 4, 1, 12, 0, 30);
const nextHour = Date.UTC(2026, 4, 1, 13);
const cron = (id: string, configuration: object, enabled = true) => ({ id, type: 'cron', enabled, configuration });
const hourly = { schedule: '0 * * * *' };

test('only cron triggers with a schedule count, and a disabled job disables all of them', () => {
  const triggers = [cron('a', hourly), cron('b', hourly, false), cron('c', {}), { id: 'd', type: 'http' }];
  const switches = (spec: object) => cronTriggersOf({ ...spec }).map(({ id, isEnabled }) => [id, isEnabled]);
  expect(switches({ triggers })).toEqual([
    ['a', true],
    ['b', false],
  ]);
  expect(switches({ enabled: false, triggers })).toEqual([
    ['a', false],
    ['b', false],
  ]);
  expect(switches({})).toEqual([]);
});

test('a callback goes with its sealed secret, and is left out without one', () => {
  const callbackUrl = 'https://hooks.example.com';
  const secret = { $sealed: 'x' };
  const origins = cronTriggersOf({
    triggers: [cron('a', { ...hourly, callbackUrl, callbackSecret: secret }), cron('b', hourly)],
  }).map(({ origin }) => origin);
  expect(origins).toEqual([
    { id: 'a', type: 'cron', callback: { url: callbackUrl, secret } },
    { id: 'b', type: 'cron' },
  ]);
});

describe('a written trigger', () => {
  const stored = { triggerId: 'a', schedule: hourly.schedule, isEnabled: true, nextAt: nextHour - 60_000 };
  const rows = (trigger: object, previous: (typeof stored)[]) =>
    changedRows(cronTriggersOf({ triggers: [trigger] }), previous, now);

  test('begins with the first tick after now when it is new, enabled again or has another schedule', () => {
    const begun = [{ triggerId: 'a', schedule: hourly.schedule, isEnabled: true, nextAt: nextHour }];
    expect(rows(cron('a', hourly), [])).toEqual(begun);
    expect(rows(cron('a', hourly), [{ ...stored, isEnabled: false }])).toEqual(begun);
    expect(rows(cron('a', hourly), [{ ...stored, schedule: '5 * * * *' }])).toEqual(begun);
  });

  test('keeps its next tick when neither schedule nor switch changes', () => {
    expect(rows(cron('a', { ...hourly, tasks: [{}] }), [stored])).toEqual([]);
  });

  test('has no next tick while it is disabled', () => {
    const off = { triggerId: 'a', schedule: hourly.schedule, isEnabled: false, nextAt: undefined };
    expect(rows(cron('a', hourly, false), [stored])).toEqual([off]);
    expect(changedRows(cronTriggersOf({ triggers: [cron('a', hourly, false)] }), [off], now)).toEqual([]);
  });
});

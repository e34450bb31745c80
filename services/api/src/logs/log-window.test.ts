import { expect, test } from 'vitest';
import { logWindow } from './log-window.ts';

const nowMs = Date.parse('2026-03-04T05:06:07.890Z');
const window = (start?: string, end?: string, intervalSeconds = 60) => {
  const at = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
  const { from, to } = logWindow({ start: at(start), end: at(end), intervalSeconds }, nowMs);
  return [from.toISOString(), to.toISOString()];
};

test('the window is the last hour when the query names none', () => {
  expect(window()).toEqual(['2026-03-04T04:06:07.890Z', '2026-03-04T05:06:07.890Z']);
  expect(window(undefined, '2026-01-01T01:00:00Z')).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00.000Z']);
  expect(window('2026-03-04T00:00:00Z')).toEqual(['2026-03-04T00:00:00.000Z', '2026-03-04T05:06:07.890Z']);
});

test('a window of three days is allowed, and a second more is refused', () => {
  expect(window('2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z')).toHaveLength(2);
  expect(() => window('2026-01-01T00:00:00Z', '2026-01-04T00:00:01Z')).toThrow('longer than 3 days');
  expect(() => window('2026-01-01T00:00:00Z')).toThrow('longer than 3 days');
});

test('a window that does not end after its start is refused', () => {
  expect(() => window('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')).toThrow('does not end after its start');
  expect(() => window('2027-01-01T00:00:00Z')).toThrow('does not end after its start');
});

test('a window with more than 5 000 intervals is refused', () => {
  expect(() => window('2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z', 51)).toThrow('more than 5000 intervals');
  expect(window(undefined, undefined, 1)).toHaveLength(2);
});

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readLogCursor, writeLogCursor } from './log-cursor.ts';

const nowMs = Date.parse('2026-03-04T05:06:07.890Z');

test('a position comes back as it was, and fits into an address with 250 instances', () => {
  const sources = Object.fromEntries(
    Array.from({ length: 250 }, (_, at) => [randomUUID().slice(19), { place: at * 7_919, atMs: nowMs - at * 1_000 }]),
  );
  const position = { sinceMs: nowMs - 600_000, sources };
  const text = writeLogCursor(position);
  expect(text).toMatch(/^[\w-]+$/);
  expect(text.length).toBeLessThan(8_000);
  expect(readLogCursor(text, nowMs)).toEqual(position);
});

test('a position of last week begins three days ago', () => {
  const text = writeLogCursor({ sinceMs: nowMs - 7 * 86_400_000, sources: {} });
  expect(readLogCursor(text, nowMs)).toEqual({ sinceMs: nowMs - 3 * 86_400_000, sources: {} });
});

test.each([
  'nonsense',
  '%',
  writeLogCursor({ sinceMs: 0.5, sources: {} }),
  writeLogCursor({ sinceMs: 0, sources: { ['x'.repeat(100_000)]: { place: 1, atMs: 1 } } }),
])('a text that is no position is refused', (text) => {
  expect(() => readLogCursor(text, nowMs)).toThrow('The cursor belongs to another query');
});

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type MetricsWalk, readMetricsCursor, writeMetricsCursor } from './metrics-cursor.ts';

const key = randomBytes(32);
const nowMs = Date.parse('2026-03-01T00:00:00Z');
const dayMs = 86_400_000;
const query = { accountId: 'one', workspaceIds: undefined, groupBy: ['workspace'] };
const walk: MetricsWalk = {
  untilMs: nowMs - 5,
  total: { micro: 2n ** 80n, pico: 9_007_199_254_740_993_000_001n },
  after: { pico: 0n, key: ['main', 'agent', 'ä"x'] },
};

test('a cursor gives the position, the time and the totals back, to the last digit', () => {
  const cursor = writeMetricsCursor(key, { query, nowMs }, walk);
  expect(readMetricsCursor(key, { query, nowMs }, cursor)).toEqual(walk);
  expect(cursor).not.toContain('main');
});

test('a cursor fits its own query only, and holds for 24 hours', () => {
  const cursor = writeMetricsCursor(key, { query, nowMs }, walk);
  expect(readMetricsCursor(key, { query, nowMs: nowMs + dayMs }, cursor)).toEqual(walk);
  for (const [name, bound] of Object.entries({
    late: { query, nowMs: nowMs + dayMs + 1 },
    'of another account': { query: { ...query, accountId: 'two' }, nowMs },
    'of an admin, sent by a member': { query: { ...query, workspaceIds: [] }, nowMs },
    'of other groups': { query: { ...query, groupBy: ['resource_type'] }, nowMs },
  }))
    expect(() => readMetricsCursor(key, bound, cursor), name).toThrow('cursor');
  expect(() => readMetricsCursor(randomBytes(32), { query, nowMs }, cursor)).toThrow('cursor');
  expect(() => readMetricsCursor(key, { query, nowMs }, 'v1.AAAA')).toThrow('cursor');
});

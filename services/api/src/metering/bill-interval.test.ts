import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Absence, billInterval } from './bill-interval.ts';
import type { BilledInstance } from './billed-instance.ts';

const hour = 3_600_000;
const instance: BilledInstance = {
  id: '019a0000-0000-7000-8000-000000000001',
  accountId: '019a0000-0000-7000-8000-000000000002',
  workspaceId: '019a0000-0000-7000-8000-000000000003',
  workspace: 'main',
  resourceType: 'agent',
  resourceName: 'web',
  resourceUid: '019a0000-0000-7000-8000-000000000004',
  dimension: 'agent_compute_runtime_gbs',
  maxMemoryMb: 512,
  fromMs: 1_000,
  toMs: 10 * hour,
};
const interval = { instance: instance.id, number: 3, fromMs: 2_000, toMs: 5_000, memoryMb: 512 };
const times = (rows: ReturnType<typeof billInterval>) => rows.map(({ part, fromMs, toMs }) => [part, fromMs, toMs]);

test('an interval is cut at full hours, and its rows name who pays', () => {
  const rows = billInterval({ ...interval, fromMs: hour - 5, toMs: 2 * hour + 7 }, instance, []);
  expect(times(rows)).toEqual([
    [0, hour - 5, hour],
    [0, hour, 2 * hour],
    [0, 2 * hour, 2 * hour + 7],
  ]);
  expect(rows[0]).toMatchObject({ source: instance.id, interval: 3, rate: 512 * 1_024, workspace: 'main' });
});

test('time before the instance, after its end and beyond its memory is not billed', () => {
  expect(times(billInterval({ ...interval, fromMs: 0, toMs: 12 * hour }, instance, []))).toHaveLength(10);
  expect(billInterval({ ...interval, memoryMb: 4_096 }, instance, [])).toMatchObject([{ rate: 512 * 1_024 }]);
  expect(billInterval({ ...interval, fromMs: 11 * hour, toMs: 12 * hour }, instance, [])).toEqual([]);
  const sandbox = { ...instance, maxMemoryMb: undefined };
  expect(billInterval({ ...interval, memoryMb: 4_096 }, sandbox, [])).toMatchObject([{ rate: 4_096 * 1_024 }]);
});

test('time in which the runner was lost is not billed, and each part keeps its number', () => {
  const first = { sinceMs: 3_000, untilMs: 4_000 };
  expect(times(billInterval(interval, instance, [{ ...first, untilMs: undefined }]))).toEqual([[0, 2_000, 3_000]]);
  const later = { ...interval, toMs: 9_000 };
  expect(times(billInterval(later, instance, [first]))).toEqual([
    [0, 2_000, 3_000],
    [1, 4_000, 9_000],
  ]);
  expect(times(billInterval(later, instance, [first, { sinceMs: 6_000, untilMs: 7_000 }]))).toEqual([
    [0, 2_000, 3_000],
    [1, 4_000, 6_000],
    [2, 7_000, 9_000],
  ]);
});

test('whatever absences there are, each moment of the interval outside of them is billed once', () => {
  const edges = fc.uniqueArray(fc.integer({ min: 0, max: 4 * hour }), { minLength: 0, maxLength: 8 });
  const window = fc.tuple(fc.integer({ min: 1_000, max: 4 * hour }), fc.integer({ min: 0, max: 2 * hour }));
  fc.assert(
    fc.property(edges, window, (drawn, [fromMs, length]) => {
      const sorted = drawn.toSorted((left, right) => left - right);
      const pairs = Array.from({ length: Math.ceil(sorted.length / 2) }, (_, at): Absence => {
        const [sinceMs = 0, untilMs] = sorted.slice(2 * at, 2 * at + 2);
        return { sinceMs, untilMs };
      });
      const absences = pairs.filter(({ untilMs }) => untilMs === undefined || untilMs > fromMs);
      const toMs = fromMs + length;
      const rows = billInterval({ ...interval, fromMs, toMs }, instance, absences);
      const absentMs = absences.reduce((sum, { sinceMs, untilMs = Number.POSITIVE_INFINITY }) => {
        return sum + Math.max(0, Math.min(toMs, untilMs) - Math.max(fromMs, sinceMs));
      }, 0);
      expect(rows.reduce((sum, row) => sum + row.toMs - row.fromMs, 0)).toBe(length - absentMs);
      expect(new Set(rows.map((row) => `${row.part} ${Math.floor(row.fromMs / hour)}`)).size).toBe(rows.length);
    }),
  );
});

// Random ledgers against a reference model. fast-check prints the seed of a failure.
import type { MetricsGroup, MetricsResolution } from '@berth/contract';
import type { LedgerRow, MetricsGroupSums, MetricsPosition, MetricsQuery } from '@berth/usage';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { groupColumns } from '../src/metrics/group-columns.ts';
import { hoursOf, referenceAnswer } from './reference-ledger.ts';
import { ledgerPeriod, someLedger, somePrices } from './some-rows.ts';
import { startUsage, type TestUsage } from './start-usage.ts';

let running: TestUsage;
beforeAll(async () => {
  running = await startUsage();
});
afterAll(() => running[Symbol.asyncDispose]());

const hourMs = 3_600_000;
const names: readonly MetricsGroup[] = [
  'workspace',
  'resource_type',
  'resource_name',
  'resource_uuid',
  'billing_dimension',
];
const resolutions: readonly MetricsResolution[] = ['hourly', 'daily', 'weekly', 'monthly'];

/** All groupings of up to three dimensions: 26. */
const groupings = Array.from({ length: 2 ** names.length }, (_, mask) =>
  names.filter((_, bit) => (mask >> bit) % 2 === 1),
).filter(({ length }) => length <= 3);

/** Stores the rows and closes hours, every second one twice. The first `late` rows come after that. */
async function store(rows: readonly LedgerRow[], late: number, closeHours: readonly number[]): Promise<void> {
  const { ledger } = running.usage;
  await ledger.write(rows.slice(late));
  const accountId = rows[0]?.accountId ?? '';
  const close = (hour: number, version: number) =>
    ledger.closeHour({ accountId, hourMs: hour, prices: version === 1 ? [] : somePrices, version });
  await Promise.all(closeHours.filter((_, index) => index % 2 === 0).map((each) => close(each, 1)));
  await Promise.all(closeHours.map((each) => close(each, 2)));
  await ledger.write(rows.slice(0, late));
}

const whole = (rows: readonly LedgerRow[], changes: Partial<MetricsQuery> = {}): MetricsQuery => ({
  accountId: rows[0]?.accountId ?? '',
  ...ledgerPeriod,
  resolution: 'hourly',
  groupBy: [],
  filters: {},
  dirtyHoursMs: [],
  prices: somePrices,
  limit: 100,
  ...changes,
});

/** All pages of a query. Each must have the same total. */
async function readAll(query: MetricsQuery) {
  const groups: MetricsGroupSums[] = [];
  const totals = new Set<string>();
  let after: MetricsPosition | undefined;
  for (;;) {
    const page = await running.usage.metrics.query({ ...query, after });
    totals.add(`${page.total.micro} ${page.total.pico}`);
    groups.push(...page.groups);
    expect(groups.length).toBeLessThan(100);
    if (!page.hasMore) break;
    expect(page.groups).toHaveLength(query.limit);
    after = page.last;
  }
  expect(totals.size).toBe(1);
  const [micro = '', pico = ''] = [...totals].join().split(' ');
  return { total: { micro: BigInt(micro), pico: BigInt(pico) }, groups };
}

const edges = fc
  .tuple(fc.integer({ min: 0, max: 150 }), fc.constantFrom(0, 0, 1, 1_799_999, 1_800_000, 3_599_999))
  .map(([hours, ms]) => ledgerPeriod.fromMs + hours * hourMs + ms);

const questions = fc.array(
  fc.record({
    window: fc.tuple(edges, edges).map((two) => ({ fromMs: Math.min(...two), toMs: Math.max(...two) })),
    groupBy: fc.constantFrom(...groupings),
    resolution: fc.constantFrom(...resolutions),
    limit: fc.constantFrom(1, 2, 100),
  }),
  { minLength: 4, maxLength: 4 },
);

test('every answer is that of the reference model, whatever came twice, late or in another order', async () => {
  const late = fc.constantFrom(0, 0.2, 1);
  await fc.assert(
    fc.asyncProperty(
      someLedger,
      late,
      fc.infiniteStream(fc.boolean()),
      questions,
      async (rows, share, closed, asked) => {
        const lateRows = rows.slice(0, Math.round(rows.length * share));
        const hours = hoursOf(rows).filter(() => closed.next().value);
        await store(rows, lateRows.length, hours);
        const touched = new Set(hoursOf(lateRows));
        const dirtyHoursMs = hoursOf(rows).filter((each) => touched.has(each) || !hours.includes(each));
        const queries = asked.map(({ window, ...rest }) => whole(rows, { ...window, ...rest, dirtyHoursMs }));
        const answers = await Promise.all(queries.map(readAll));
        expect(answers).toEqual(queries.map((query) => referenceAnswer(rows, query)));
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
});

test('closed hours, dirty hours and any mixture of them give the same answer', async () => {
  await fc.assert(
    fc.asyncProperty(someLedger, fc.infiniteStream(fc.boolean()), async (rows, chosen) => {
      const hours = hoursOf(rows);
      await store(rows, 0, hours);
      const query = whole(rows, { groupBy: ['resource_uuid', 'billing_dimension'], resolution: 'daily' });
      const closed = await running.usage.metrics.query(query);
      const mixtures = [hours, hours.filter(() => chosen.next().value), hours.slice(0, 1)];
      for (const dirtyHoursMs of mixtures)
        expect(await running.usage.metrics.query({ ...query, dirtyHoursMs })).toEqual(closed);
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

/** One ledger, the same for all tests below that read it. */
const oneLedger = (): LedgerRow[] =>
  fc
    .sample(fc.array(someLedger, { minLength: 4, maxLength: 4 }), { numRuns: 1, seed: 18 })
    .flat(2)
    .map((row, _, [first]) => ({ ...row, accountId: first?.accountId ?? '' }));

test('every grouping, page size and resolution of a window adds up to one total, to the last digit', async () => {
  const rows = oneLedger();
  const hours = hoursOf(rows);
  await store(rows, 0, hours.slice(0, 3));
  const dirtyHoursMs = hours.slice(3);
  const window = { fromMs: ledgerPeriod.fromMs + 1, toMs: ledgerPeriod.toMs - 1, dirtyHoursMs };
  const { total } = referenceAnswer(rows, whole(rows, window));
  expect(groupings).toHaveLength(26);
  expect(total.pico).toBeGreaterThan(0n);
  const limits = [2, 3, 7, 100];
  // Groupings with the same columns are the same statement, so only the first of them has all resolutions.
  const known = new Set<string>();
  for (const [index, groupBy] of groupings.entries()) {
    const columns = groupColumns(groupBy).join();
    const chosen = known.has(columns) ? resolutions.slice(index % 4, (index % 4) + 1) : resolutions;
    known.add(columns);
    const answers = await Promise.all(
      chosen.map((resolution, at) =>
        readAll(whole(rows, { ...window, groupBy, resolution, limit: limits[(index + at) % limits.length] ?? 1 })),
      ),
    );
    for (const answer of answers) {
      expect(answer.total).toEqual(total);
      for (const parts of [answer.groups, answer.groups.flatMap(({ buckets }) => buckets)]) {
        expect(parts.reduce((sum, { micro }) => sum + micro, 0n)).toBe(total.micro);
        expect(parts.reduce((sum, { pico }) => sum + pico, 0n)).toBe(total.pico);
      }
      expect(new Set(answer.groups.map(({ key }) => JSON.stringify(key))).size).toBe(answer.groups.length);
    }
  }
});

test('a window is the sum of its parts at full hours', async () => {
  const rows = oneLedger();
  const hours = hoursOf(rows).toSorted((left, right) => left - right);
  await store(rows, 0, hours.slice(2));
  const cuts = [ledgerPeriod.fromMs, ...hours, ledgerPeriod.toMs];
  const changes = { dirtyHoursMs: hours.slice(0, 2), groupBy: ['workspace'] } as const;
  const { total } = await running.usage.metrics.query(whole(rows, changes));
  const parts = await Promise.all(
    cuts
      .slice(1)
      .map((toMs, index) => running.usage.metrics.query(whole(rows, { ...changes, fromMs: cuts[index] ?? 0, toMs }))),
  );
  expect(parts.reduce((sum, part) => sum + part.total.micro, 0n)).toBe(total.micro);
  expect(parts.reduce((sum, part) => sum + part.total.pico, 0n)).toBe(total.pico);
});

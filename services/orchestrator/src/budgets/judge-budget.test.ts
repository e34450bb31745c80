import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MonthCosts } from './judge-budget.ts';
import { type Budget, judgeBudget } from './judge-budget.ts';

const budget = (changes: Partial<Budget> = {}): Budget => ({
  id: 'budget',
  amountUsd: '100.000000',
  thresholds: [50, 80, 100],
  workspace: null,
  updatedAt: new Date('2027-11-15T00:00:00Z'),
  ...changes,
});
const usd = 10n ** 12n;
const costs = (total: bigint, workspaces: Record<string, bigint> = {}, month = '2027-11'): MonthCosts => ({
  month,
  costOf: ({ workspace }) => (workspace === null ? total : (workspaces[workspace] ?? 0n)),
});
const percents = (of: Budget, ...months: MonthCosts[]) =>
  judgeBudget(of, months).map(({ month, percent }) => `${month} ${percent}`);

test('a threshold is reached at its exact amount, and not a part of 10⁻¹² USD before', () => {
  expect(percents(budget(), costs(50n * usd - 1n))).toEqual([]);
  expect(percents(budget(), costs(50n * usd))).toEqual(['2027-11 50']);
  expect(percents(budget(), costs(100n * usd - 1n))).toEqual(['2027-11 50', '2027-11 80']);
  expect(percents(budget({ amountUsd: '0.000001', thresholds: [33] }), costs(329_999n))).toEqual([]);
  expect(percents(budget({ amountUsd: '0.000001', thresholds: [33] }), costs(330_000n))).toEqual(['2027-11 33']);
});

test('reached thresholds are ascending, and those that are higher than the cost are left out', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 10 }),
      fc.bigInt({ min: 1n, max: 10n ** 18n }),
      fc.bigInt({ min: 0n, max: 10n ** 26n }),
      (thresholds, microUsd, pico) => {
        const amountUsd = `${microUsd / 1_000_000n}.${String(microUsd % 1_000_000n).padStart(6, '0')}`;
        const reached = judgeBudget(budget({ amountUsd, thresholds }), [costs(pico)]).map(({ percent }) => percent);
        // 10⁻⁶ USD of the amount at one percent are 10⁴ parts of 10⁻¹² USD.
        const isReached = (percent: number) => pico >= microUsd * 10_000n * BigInt(percent);
        expect(reached).toEqual(thresholds.filter(isReached).toSorted((left, right) => left - right));
      },
    ),
  );
});

test('a budget of a workspace counts the workspaces of its name alone', () => {
  const month = costs(90n * usd, { main: 60n * usd, other: 30n * usd });
  expect(percents(budget({ workspace: 'main' }), month)).toEqual(['2027-11 50']);
  expect(percents(budget({ workspace: 'other' }), month)).toEqual([]);
  expect(percents(budget({ workspace: 'unused' }), month)).toEqual([]);
});

test('a month is judged by a budget that has not changed since the end of that month', () => {
  const months = [costs(60n * usd, {}, '2027-10'), costs(80n * usd)];
  expect(percents(budget({ updatedAt: new Date('2027-10-31T23:59:59.999Z') }), ...months)).toEqual([
    '2027-10 50',
    '2027-11 50',
    '2027-11 80',
  ]);
  expect(percents(budget({ updatedAt: new Date('2027-11-01T00:00:00Z') }), ...months)).toEqual([
    '2027-11 50',
    '2027-11 80',
  ]);
});

import { AccountMetricsQuery } from '@berth/contract';
import { expect, test } from 'vitest';
import { readQuery } from './read-query.ts';

const window = { startTime: '2026-03-01T00:00:00Z', endTime: '2026-03-02T00:00:00Z' };
const read = (query: Readonly<Record<string, string>>) => readQuery(AccountMetricsQuery.parse({ ...window, ...query }));

test('a query without more than a window is one group of hours', () => {
  const { resolution, groupBy, limit, starts } = read({});
  expect({ resolution, groupBy, limit, starts: starts.length }).toEqual({
    ...{ resolution: 'hourly', groupBy: [], limit: 100, starts: 24 },
  });
});

test('the order in which groups are named makes no difference', () => {
  const expected = ['workspace', 'resource_type', 'billing_dimension'];
  expect(read({ groupBy: 'billing_dimension,workspace,resource_type' }).groupBy).toEqual(expected);
  expect(read({ groupBy: 'resource_type, billing_dimension, workspace' }).groupBy).toEqual(expected);
});

test.each([
  ['2026-03-01T00:00:00Z', '2027-03-01T00:00:00Z', 100],
  // 2 000 and 2 001 months of groups are 200 000 points, and more.
  ['2000-01-01T00:00:00Z', '2166-09-01T00:00:00Z', 100],
  ['2000-01-01T00:00:00Z', '2166-09-01T00:00:01Z', 99],
  ['0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 1],
])('an answer from %s to %s has at most 200 000 points: %i groups', (startTime, endTime, limit) => {
  const asked = read({ startTime, endTime, limit: '5000' });
  expect(asked.limit).toBe(limit);
  expect(asked.limit * asked.starts.length).toBeLessThanOrEqual(200_000);
});

test.each([
  ['a start that is missing', { startTime: undefined }],
  ['an end that is missing', { endTime: undefined }],
  ['an offset', { startTime: '2026-03-01T00:00:00+00:00' }],
  ['a time without a zone', { startTime: '2026-03-01T00:00:00' }],
  ['a time without seconds', { startTime: '2026-03-01T00:00Z' }],
  ['a date alone', { endTime: '2026-03-02' }],
  ['a day that does not exist', { endTime: '2026-02-30T00:00:00Z' }],
  ['seconds since 1970', { endTime: '1772323200' }],
  ['four groups', { groupBy: 'workspace,resource_type,resource_name,billing_dimension' }],
  ['a group twice', { groupBy: 'workspace,workspace' }],
  ['an unknown group', { groupBy: 'region' }],
  ['a group without a name', { groupBy: 'workspace,' }],
  ['no group', { groupBy: '' }],
  ['an unknown dimension', { billingDimension: 'model_tokens_count' }],
  ['an unknown type', { resourceType: 'function' }],
  ['an unknown resolution', { resolution: 'yearly' }],
  ['a limit of 0', { limit: '0' }],
  ['a limit that is no whole number', { limit: '1.5' }],
  ['a label', { label: 'team' }],
  ['a unit', { unit: 'gbs' }],
])('a query with %s is refused', (_what, change) => {
  expect(AccountMetricsQuery.safeParse({ ...window, ...change }).success).toBe(false);
});

// Groups of billing metrics, their entries and sums. Specification: Billing metrics, Limits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bill, type Line } from './support/bill.ts';
import { type Billing, startBilling } from './support/billing.ts';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing[Symbol.asyncDispose]());

interface Entry {
  readonly [field: string]: unknown;
  readonly summary: { readonly cost: number; readonly usage?: number };
  readonly timeseries: readonly { readonly timestamp: string; readonly cost: number; readonly usage?: number }[];
}

const grouped = async (groupBy: string) => (await billing.ask({ groupBy })).body;
const usdOf = (lines: readonly Line[]): number => lines.reduce((sum, { microUsd }) => sum + microUsd, 0) / 1e6;
const usageOf = (lines: readonly Line[]): number => lines.reduce((sum, { usage }) => sum + usage, 0);

/** Field of an entry by the dimension that asks for it. */
const fields: Readonly<Record<string, string>> = {
  workspace: 'workspace',
  resource_type: 'resourceType',
  resource_name: 'resourceName',
  resource_uuid: 'resourceUuid',
  billing_dimension: 'billingDimension',
};
const dimensions = Object.keys(fields);

const withUuid = () => bill.map((line) => ({ ...line, resourceUuid: billing.uuidOf(line) }));

/** Groups of the bill: a name is one resource in its workspace and type. */
function groupsOfBill(names: readonly string[]): Map<string, Line[]> {
  const keys = names.flatMap((name) => (name === 'resource_name' ? ['workspace', 'resource_type', name] : [name]));
  return Map.groupBy(withUuid(), (line) =>
    JSON.stringify(keys.map((key) => Object.entries(line).find(([field]) => field === fields[key])?.[1])),
  );
}

test('billing-groups.values: groupBy takes one, two or three of the five dimensions, separated by commas, and sums up the bill by them', async () => {
  for (const [index, first] of dimensions.entries())
    for (const [other, second] of dimensions.entries())
      for (const third of dimensions.slice(other)) {
        if (other < index) continue;
        const names = [...new Set([first, second, third])];
        const { data } = await grouped(names.join(','));
        const wanted = [...groupsOfBill(names).values()].map(usdOf).toSorted((a, b) => b - a);
        expect([names, data.map(({ summary }: Entry) => summary.cost)]).toEqual([names, wanted]);
      }
});

test('billing-groups.product: groups are the cross-product of the dimensions, and their order in groupBy makes no difference', async () => {
  const names = ['workspace', 'resource_type', 'billing_dimension'];
  const first = await grouped(names.join(','));
  for (const order of [
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ])
    expect(await grouped(order.map((index) => names[index]).join(','))).toEqual(first);
  const keys = first.data.map((entry: Entry) => names.map((name) => entry[fields[name] ?? '']).join(' '));
  expect(keys.toSorted()).toEqual([
    'main agent agent_async_requests_count',
    'main agent agent_compute_runtime_gbs',
    'main sandbox sandbox_compute_runtime_gbs',
    'other agent agent_compute_runtime_gbs',
    'other job job_compute_runtime_gbs',
  ]);
});

test('billing-groups.absent: without groupBy there is one entry in all, which names nothing, also when nothing was used', async () => {
  const { data } = (await billing.ask()).body;
  expect(data).toEqual([{ summary: { cost: 0.219601 }, timeseries: expect.any(Array) }]);
  const idle = (await billing.ask(billing.window(300, 303))).body;
  expect(idle.data).toEqual([
    {
      summary: { cost: 0 },
      timeseries: [300, 301, 302].map((hour) => ({ timestamp: billing.window(hour).startTime, cost: 0 })),
    },
  ]);
});

test('billing-groups.bad: a dimension that does not exist or is named twice gives 400', async () => {
  const wrong = [
    'region',
    'resourceType',
    'WORKSPACE',
    'workspace,region',
    'label',
    '',
    ',',
    'workspace,',
    ',workspace',
  ];
  const twice = ['workspace,workspace', 'resource_type,workspace,resource_type', 'billing_dimension,billing_dimension'];
  for (const groupBy of [...wrong, ...twice, 'workspace;resource_type'])
    expect([groupBy, (await billing.ask({ groupBy })).status]).toEqual([groupBy, 400]);
});

test('billing-groups.limit: three dimensions are grouped and four or five give 400', async () => {
  for (let count = 1; count <= dimensions.length; count += 1) {
    const status = (await billing.ask({ groupBy: dimensions.slice(0, count).join(',') })).status;
    expect([count, status]).toEqual([count, count <= 3 ? 200 : 400]);
  }
});

test('billing-groups.data: data is an array with one entry for each group that was used, and exactly one without groups', async () => {
  for (const [groupBy, count] of [
    ['workspace', 2],
    ['resource_type', 3],
    ['resource_name', 4],
    ['resource_uuid', 4],
    ['billing_dimension', 4],
  ] as const)
    expect([groupBy, (await grouped(groupBy)).data.length]).toEqual([groupBy, count]);
  expect((await billing.ask()).body.data).toHaveLength(1);
  expect((await billing.ask({ ...billing.window(300, 301), groupBy: 'workspace' })).body.data).toEqual([]);
});

test('billing-groups.entry: an entry has five string keys, a cost in USD, and a usage when it is grouped by billing dimension', async () => {
  const { data } = await grouped('resource_uuid,billing_dimension');
  expect(data).toHaveLength(bill.length);
  for (const { summary, timeseries, ...keys } of data) {
    expect(Object.keys(keys).sort()).toEqual(Object.values(fields).toSorted());
    for (const value of Object.values(keys)) expect(value).toEqual(expect.stringMatching(/./));
    expect(summary).toEqual({ cost: expect.any(Number), usage: expect.any(Number) });
    for (const item of timeseries)
      expect(item).toEqual({ timestamp: expect.any(String), cost: expect.any(Number), usage: expect.any(Number) });
    const sum = (name: 'cost' | 'usage') => timeseries.reduce((all: number, item: never) => all + item[name], 0);
    expect([sum('cost'), sum('usage')]).toEqual([summary.cost, summary.usage]);
    const line = withUuid().find(
      (one) => one.resourceUuid === keys.resourceUuid && one.billingDimension === keys.billingDimension,
    );
    expect(summary).toEqual({ cost: (line?.microUsd ?? 0) / 1e6, usage: line?.usage });
  }
  const [named] = (await grouped('resource_uuid')).data;
  expect(named.summary).toEqual({ cost: expect.any(Number) });
});

test('billing-groups.total-cost: totalCost is the sum of the cost of all groups in USD, however they are grouped', async () => {
  expect((await billing.ask()).body.summary.totalCost).toBe(usdOf(bill));
  for (const groupBy of [...dimensions, 'workspace,resource_type', 'resource_uuid,billing_dimension,workspace']) {
    const { data, summary } = await grouped(groupBy);
    const microUsd = data.reduce((sum: number, entry: Entry) => sum + Math.round(entry.summary.cost * 1e6), 0);
    expect([groupBy, summary.totalCost, microUsd / 1e6]).toEqual([groupBy, usdOf(bill), usdOf(bill)]);
  }
});

test('billing-groups.total-usage: totalUsage is there when grouped by billing dimension, as the sum over all groups, and otherwise not', async () => {
  for (const groupBy of ['billing_dimension', 'workspace,billing_dimension', 'billing_dimension,resource_uuid']) {
    const { data, summary } = await grouped(groupBy);
    expect(summary).toEqual({ totalCost: usdOf(bill), totalUsage: usageOf(bill) });
    expect(data.reduce((sum: number, entry: Entry) => sum + (entry.summary.usage ?? 0), 0)).toBe(usageOf(bill));
  }
  for (const groupBy of ['workspace', 'resource_type', 'resource_name', 'resource_uuid', 'resource_type,workspace']) {
    const { text, body } = await billing.ask({ groupBy });
    expect(body.summary).toEqual({ totalCost: usdOf(bill) });
    expect(text).not.toContain('sage"');
  }
  expect((await billing.ask()).text).not.toContain('sage"');
});

// Filters of billing metrics. Specification: Billing metrics.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bill, type Line } from './support/bill.ts';
import { type Billing, startBilling } from './support/billing.ts';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing[Symbol.asyncDispose]());

type Query = Readonly<Record<string, string>>;

/** Cost of the filtered bill, which has to be the same in the summary, in the entry and in the groups. */
async function costOf(query: Query): Promise<number> {
  const { summary, data } = (await billing.ask(query)).body;
  const groups = (await billing.ask({ ...query, groupBy: 'resource_uuid,billing_dimension' })).body;
  const microUsd = groups.data.reduce((sum: number, entry: never) => sum + Math.round(cost(entry) * 1e6), 0);
  expect([data[0].summary.cost, groups.summary.totalCost, microUsd / 1e6]).toEqual(Array(3).fill(summary.totalCost));
  return summary.totalCost;
}
const cost = ({ summary }: { summary: { cost: number } }): number => summary.cost;

const usdOf = (fits: (line: Line) => boolean): number =>
  bill.filter(fits).reduce((sum, { microUsd }) => sum + microUsd, 0) / 1e6;

test('billing-filters.workspace: workspace narrows to one workspace, is for account admins, and another name finds nothing', async () => {
  for (const workspace of ['main', 'other'])
    expect(await costOf({ workspace })).toBe(usdOf((line) => line.workspace === workspace));
  expect(await costOf({ workspace: 'no-such-place' })).toBe(0);
  const member = await billing.api.user({ memberOf: 'main', role: 'admin' });
  const refused = await billing.ask({ workspace: 'main' }, member.client);
  expect([refused.status, refused.body.message]).toEqual([403, 'access denied']);
});

test('billing-filters.resource-type: resourceType filters by the raw type, and a type that is not billed gives 400', async () => {
  for (const resourceType of ['sandbox', 'agent', 'job', 'mcp_server', 'volume', 'custom_domain'])
    expect([resourceType, await costOf({ resourceType })]).toEqual([
      resourceType,
      usdOf((line) => line.resourceType === resourceType),
    ]);
  for (const resourceType of ['function', 'functions', 'Sandbox', 'model', ''])
    expect([resourceType, (await billing.ask({ resourceType })).status]).toEqual([resourceType, 400]);
});

test('billing-filters.resource-name: resourceName filters by the name, in every workspace and type that has it', async () => {
  for (const resourceName of ['box', 'helper', 'nightly'])
    expect(await costOf({ resourceName })).toBe(usdOf((line) => line.resourceName === resourceName));
  for (const resourceName of [
    'hel',
    'HELPER',
    '%',
    "'",
    '\\',
    'a\\tb',
    'a\tb',
    'a\nb',
    '{x:String}',
    '€💥',
    'no such name',
  ])
    expect([resourceName, await costOf({ resourceName })]).toEqual([resourceName, 0]);
  expect(await costOf({ resourceName: 'helper', workspace: 'other' })).toBe(0.0252);
});

test('billing-filters.resource-uuid: resourceUuid filters by the UUID of a resource or the id of an instance, and anything else finds nothing', async () => {
  for (const line of bill) {
    const resourceUuid = billing.uuidOf(line);
    expect(await costOf({ resourceUuid })).toBe(usdOf((one) => billing.uuidOf(one) === resourceUuid));
  }
  for (const resourceUuid of ['0198c0de-0000-7000-8000-000000000000', 'no-uuid', "' OR 1"])
    expect([resourceUuid, await costOf({ resourceUuid })]).toEqual([resourceUuid, 0]);
  // After the bill, in an hour that stays open and in one that is closed.
  for (const [hour, open] of [
    [340, true],
    [350, false],
  ] as const) {
    const spent = { billingDimension: 'sandbox_compute_runtime_gbs', hour, amount: 1 } as const;
    const boxes = ['first', 'second'].map((resourceName) => ({ ...spent, workspace: 'main', resourceName }));
    await billing.spend(boxes, { open });
    const window = billing.window(hour, hour + 1);
    expect(await costOf(window)).toBe(0.0828);
    for (const box of boxes)
      for (const resourceUuid of [billing.uuidOf(box), billing.instanceOf(box)])
        expect(await costOf({ ...window, resourceUuid })).toBe(0.0414);
  }
});

test('billing-filters.billing-dimension: billingDimension filters by the dimension, and an unknown dimension gives 400', async () => {
  for (const billingDimension of [...bill.map((line) => line.billingDimension), 'volume_storage_gbs'])
    expect(await costOf({ billingDimension })).toBe(usdOf((line) => line.billingDimension === billingDimension));
  for (const billingDimension of ['sandbox', 'sandbox_compute_runtime', 'model_tokens_count', ''])
    expect([billingDimension, (await billing.ask({ billingDimension })).status]).toEqual([billingDimension, 400]);
});

test('billing-filters.unsupported: label and unit give 400 and say so, whatever their value', async () => {
  for (const name of ['label', 'unit'])
    for (const value of ['', 'gbs', 'team=a'])
      for (const more of [{}, { groupBy: 'workspace' }]) {
        const { status, body } = await billing.ask({ ...more, [name]: value });
        expect([name, value, status]).toEqual([name, value, 400]);
        expect(body.message).toContain(`query.${name}: is not supported`);
      }
});

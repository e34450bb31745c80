// Which fields of an entry are filled. Specification: Billing metrics.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bill } from './support/bill.ts';
import { type Billing, startBilling } from './support/billing.ts';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing[Symbol.asyncDispose]());

const dimensions = ['workspace', 'resource_type', 'resource_name', 'resource_uuid', 'billing_dimension'];

/** Values of a field in all entries, by the one dimension that they are grouped by. Undefined where it is left out. */
async function valuesOf(field: string): Promise<Record<string, unknown[]>> {
  const found = dimensions.map(async (groupBy) => {
    const { data } = (await billing.ask({ groupBy })).body;
    expect(data.length).toBeGreaterThan(1);
    return [groupBy, data.map((entry: Record<string, unknown>) => entry[field]).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const nothing = (count: number) => Array.from({ length: count }, () => undefined);
/** Number of entries by each dimension. */
const left = {
  workspace: nothing(2),
  resource_type: nothing(3),
  resource_name: nothing(4),
  resource_uuid: nothing(4),
  billing_dimension: nothing(4),
};

test('billing-fields.workspace: workspace is filled by its dimension, by resource_name and by resource_uuid', async () => {
  const byResource = ['main', 'main', 'other', 'other'];
  expect(await valuesOf('workspace')).toEqual({
    ...left,
    ...{ workspace: ['main', 'other'], resource_name: byResource, resource_uuid: byResource },
  });
});

test('billing-fields.resource-type: resourceType is filled by its dimension, by resource_name, by resource_uuid and by billing_dimension', async () => {
  const byResource = ['agent', 'agent', 'job', 'sandbox'];
  expect(await valuesOf('resourceType')).toEqual({
    ...left,
    resource_type: ['agent', 'job', 'sandbox'],
    ...{ resource_name: byResource, resource_uuid: byResource, billing_dimension: byResource },
  });
});

test('billing-fields.resource-name: resourceName is filled by its dimension and by resource_uuid', async () => {
  const names = ['box', 'helper', 'helper', 'nightly'];
  expect(await valuesOf('resourceName')).toEqual({ ...left, resource_name: names, resource_uuid: names });
});

test('billing-fields.resource-uuid: resourceUuid is filled by its dimension alone', async () => {
  const uuids = [...new Set(bill.map(billing.uuidOf))].toSorted();
  expect(uuids).toHaveLength(4);
  expect(await valuesOf('resourceUuid')).toEqual({ ...left, resource_uuid: uuids });
});

test('billing-fields.billing-dimension: billingDimension is filled by its dimension alone', async () => {
  const used = [...new Set(bill.map(({ billingDimension }) => billingDimension))].toSorted();
  expect(await valuesOf('billingDimension')).toEqual({ ...left, billing_dimension: used });
});

test('billing-fields.several: with several dimensions all fields of each of them are filled, and with what it adds', async () => {
  const filled: Readonly<Record<string, readonly string[]>> = {
    workspace: ['workspace'],
    resource_type: ['resourceType'],
    resource_name: ['resourceName', 'workspace', 'resourceType'],
    resource_uuid: ['resourceUuid', 'workspace', 'resourceType', 'resourceName'],
    billing_dimension: ['billingDimension', 'resourceType'],
  };
  for (const first of dimensions)
    for (const second of dimensions.filter((name) => name !== first)) {
      const { data } = (await billing.ask({ groupBy: `${first},${second}` })).body;
      const fields = [...new Set([first, second].flatMap((name) => filled[name] ?? []))].toSorted();
      for (const { summary, timeseries, ...keys } of data) {
        expect([first, second, Object.keys(keys).toSorted()]).toEqual([first, second, fields]);
        const line = bill.some((one) =>
          Object.entries(keys).every(
            ([field, value]) =>
              value ===
              (field === 'resourceUuid'
                ? billing.uuidOf(one)
                : Object.entries(one).find(([name]) => name === field)?.[1]),
          ),
        );
        expect([keys, line]).toEqual([keys, true]);
      }
    }
});

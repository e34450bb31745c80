// The billing dimensions: usage in the ledger is answered with its type, in its unit, at its price. Which workloads are
// metered, and from when to when, is shown with real containers (tests/e2e). Specification: Billing metrics.
import { type BillingDimensionName, billingDimensions } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Billing, startBilling } from './support/billing.ts';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling(
    billingDimensions.map(({ name }, hour) => ({
      ...{ workspace: 'main', resourceName: 'metered', billingDimension: name, hour },
      amount: hour + 1,
    })),
  );
});
afterAll(() => billing[Symbol.asyncDispose]());

/** An entry of the answer; the cost is rounded to 10⁻¹² USD. */
interface Wanted {
  readonly resourceType: string;
  readonly usage: number;
  readonly cost: number;
}

/** GB-seconds of so many GB in one hour. */
const gbs = (gb: number): number => gb * 3600;

async function expectDimension(name: BillingDimensionName, { resourceType, usage, cost }: Wanted): Promise<void> {
  const { body } = await billing.ask({ groupBy: 'billing_dimension', billingDimension: name });
  const entry = { billingDimension: name, resourceType, summary: { cost, usage } };
  expect(body.data).toEqual([{ ...entry, timeseries: expect.any(Array) }]);
  const used = body.data[0].timeseries.filter((item: { usage: number }) => item.usage !== 0);
  expect(used).toEqual([{ timestamp: billing.window().startTime, cost, usage }]);
  const ofType = await billing.ask({ groupBy: 'billing_dimension', resourceType });
  expect(ofType.body.data).toContainEqual(body.data[0]);
  const types = await billing.api.admin.get(`${billing.path}/enums/resource-types`, { query: billing.window() });
  expect(types.body.values).toContain(resourceType);
}

test('billing-dimensions.sandbox-compute: run time of sandboxes is counted in GB-seconds', () =>
  expectDimension('sandbox_compute_runtime_gbs', { resourceType: 'sandbox', usage: gbs(1), cost: 0.0414 }));

test('billing-dimensions.sandbox-image: image storage of sandboxes is counted in GB-seconds', () =>
  expectDimension('sandbox_image_storage_gbs', { resourceType: 'sandbox', usage: gbs(2), cost: 0.000125 }));

test('billing-dimensions.sandbox-snapshot: snapshot storage of sandboxes is counted in GB-seconds', () =>
  expectDimension('sandbox_snapshot_storage_gbs', { resourceType: 'sandbox', usage: gbs(3), cost: 0.000833333333 }));

test('billing-dimensions.agent-compute: run time of agents is counted in GB-seconds', () =>
  expectDimension('agent_compute_runtime_gbs', { resourceType: 'agent', usage: gbs(4), cost: 0.1008 }));

test('billing-dimensions.agent-image: image storage of agents is counted in GB-seconds', () =>
  expectDimension('agent_image_storage_gbs', { resourceType: 'agent', usage: gbs(5), cost: 0.0003125 }));

test('billing-dimensions.agent-async: async requests of agents are counted one by one', () =>
  expectDimension('agent_async_requests_count', { resourceType: 'agent', usage: 6, cost: 0.0000012 }));

test('billing-dimensions.job-compute: run time of jobs is counted in GB-seconds', () =>
  expectDimension('job_compute_runtime_gbs', { resourceType: 'job', usage: gbs(7), cost: 0.1512 }));

test('billing-dimensions.job-image: image storage of jobs is counted in GB-seconds', () =>
  expectDimension('job_image_storage_gbs', { resourceType: 'job', usage: gbs(8), cost: 0.0005 }));

test('billing-dimensions.mcp-compute: run time of MCP servers is counted in GB-seconds', () =>
  expectDimension('mcp_server_compute_runtime_gbs', { resourceType: 'mcp_server', usage: gbs(9), cost: 0.2268 }));

test('billing-dimensions.mcp-image: image storage of MCP servers is counted in GB-seconds', () =>
  expectDimension('mcp_server_image_storage_gbs', { resourceType: 'mcp_server', usage: gbs(10), cost: 0.000625 }));

test('billing-dimensions.volume: storage of volumes is counted in GB-seconds', () =>
  expectDimension('volume_storage_gbs', { resourceType: 'volume', usage: gbs(11), cost: 0.001833333333 }));

test('billing-dimensions.custom-domain: active time of custom domains is counted in hours', () =>
  expectDimension('custom_domain_active_time_hours', {
    resourceType: 'custom_domain',
    usage: 12,
    cost: 0.333333333333,
  }));

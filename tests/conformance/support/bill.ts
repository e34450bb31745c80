// A bill: usage of two workspaces in two weeks, and its cost by list prices.
import { type BillingDimension, type BillingDimensionName, billingDimensions } from '@berth/contract';

/** Usage of one resource in one hour. */
export interface Spent {
  readonly workspace: string;
  readonly resourceName: string;
  readonly billingDimension: BillingDimensionName;
  /** Hours after the beginning of the bill. */
  readonly hour: number;
  /** GB for the whole hour, events, or domains for the whole hour. */
  readonly amount: number;
}

/** A line of the bill: usage in the unit of its dimension, and cost in 10⁻⁶ USD. */
export interface Line extends Spent {
  readonly resourceType: string;
  readonly usage: number;
  readonly microUsd: number;
}

export function dimensionOf(name: BillingDimensionName): BillingDimension {
  const found = billingDimensions.find((dimension) => dimension.name === name);
  if (found === undefined) throw new Error(`${name} is no dimension`);
  return found;
}

type Place = readonly [workspace: string, resourceName: string, billingDimension: BillingDimensionName];

const line = (
  [workspace, resourceName, billingDimension]: Place,
  rest: Pick<Line, 'hour' | 'amount' | 'usage' | 'microUsd'>,
): Line => ({
  ...{ workspace, resourceName, billingDimension, ...rest },
  resourceType: dimensionOf(billingDimension).resourceType,
});

/** The two agents have the same name, in different workspaces. */
export const bill: readonly Line[] = [
  line(['main', 'box', 'sandbox_compute_runtime_gbs'], { hour: 1, amount: 2, usage: 7200, microUsd: 82_800 }),
  line(['main', 'helper', 'agent_compute_runtime_gbs'], { hour: 2, amount: 1, usage: 3600, microUsd: 25_200 }),
  line(['main', 'helper', 'agent_async_requests_count'], { hour: 3, amount: 5, usage: 5, microUsd: 1 }),
  line(['other', 'helper', 'agent_compute_runtime_gbs'], { hour: 26, amount: 1, usage: 3600, microUsd: 25_200 }),
  line(['other', 'nightly', 'job_compute_runtime_gbs'], { hour: 192, amount: 4, usage: 14_400, microUsd: 86_400 }),
];

import type { BillingDimensionName } from '@berth/contract';

/**
 * One interval of usage inside one hour. `source`, `interval`, `part` and the hour identify the row within its account and
 * dimension; of several such rows the one with the longest `toMs` counts.
 */
export interface LedgerRow {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly workspace: string;
  /** As the billing metrics name it: `mcp_server` for a function. */
  readonly resourceType: string;
  readonly resourceName: string;
  readonly resourceUid: string;
  readonly dimension: BillingDimensionName;
  /** What was metered: an instance, or another thing with an id of its own. */
  readonly source: string;
  readonly interval: number;
  readonly part: number;
  /** Within one hour; half-open. Equal where something is counted and not timed. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Of dimensions in GB-seconds the memory in KiB, of hours 1, of counts 0. */
  readonly rate: number;
  /** Of counts the number of events, else 0. */
  readonly amount: number;
}

/** Price of a dimension from an hour on. */
export interface PriceStep {
  readonly dimension: BillingDimensionName;
  readonly fromMs: number;
  /** 10⁻¹⁸ USD for one unit. */
  readonly attoUsd: bigint;
}

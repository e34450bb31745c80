import type { MetricsGroup, MetricsResolution } from '@berth/contract';
import type { PriceStep } from '../ledger/ledger-row.ts';
import type { Period } from '../ledger/split-at-hours.ts';

/** Absent: all. */
export interface MetricsFilters {
  readonly workspace?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceName?: string | undefined;
  /** Uid of a resource, or the id of an instance for as long as its intervals are kept. */
  readonly resourceUuid?: string | undefined;
  readonly billingDimension?: string | undefined;
}

export interface MetricsQuery extends Period {
  readonly accountId: string;
  /** Absent: all workspaces, also those that exist no more. */
  readonly workspaceIds?: readonly string[] | undefined;
  readonly resolution: MetricsResolution;
  readonly groupBy: readonly MetricsGroup[];
  readonly filters: MetricsFilters;
  /** Begins of hours that are not closed, or have new rows since. */
  readonly dirtyHoursMs: readonly number[];
  readonly prices: readonly PriceStep[];
  readonly limit: number;
  /** Position of the last group before this page. */
  readonly after?: MetricsPosition | undefined;
}

/** Place of a group in the order of groups: highest cost first, then by key. */
export interface MetricsPosition {
  readonly pico: bigint;
  readonly key: readonly string[];
}

/** Usage in 10⁻⁶ units, and cost in 10⁻¹² USD. */
interface Sums {
  readonly micro: bigint;
  readonly pico: bigint;
}

export interface MetricsBucket extends Sums {
  readonly startMs: number;
}

/** Fields are filled as the specification says for the dimensions of the query. */
export interface MetricsGroupSums extends Sums, MetricsPosition {
  readonly workspace?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceName?: string | undefined;
  readonly resourceUuid?: string | undefined;
  readonly billingDimension?: string | undefined;
  /** Oldest first; buckets without usage are left out. */
  readonly buckets: readonly MetricsBucket[];
}

export interface MetricsPage {
  /** Of all groups, on every page. */
  readonly total: Sums;
  readonly groups: readonly MetricsGroupSums[];
  readonly hasMore: boolean;
  /** Position of the last group of the page. Absent on an empty page. */
  readonly last?: MetricsPosition | undefined;
}

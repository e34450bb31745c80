// The answer of a query about usage. Pure.
import type { MetricsGroup, MetricsResolution } from '@berth/contract';
import { type ExactNumber, type MetricsGroupSums, type MetricsPage, unitsOf, usdOf } from '@berth/usage';
import { bucketStart } from './buckets.ts';

type Sums = MetricsPage['total'];
type MetricsField = 'workspace' | 'resourceType' | 'resourceName' | 'resourceUuid' | 'billingDimension';

/** What an answer shows, besides the groups. */
interface Shown {
  readonly groupBy: readonly MetricsGroup[];
  readonly resolution: MetricsResolution;
  /** Start of the window. */
  readonly fromMs: number;
  /** Starts of all buckets of the window. */
  readonly starts: readonly number[];
}

/** A field is there when the answer is grouped by one of these. */
const filledBy: readonly (readonly [MetricsField, readonly MetricsGroup[]])[] = [
  ['workspace', ['workspace', 'resource_uuid', 'resource_name']],
  ['resourceType', ['resource_type', 'resource_uuid', 'resource_name', 'billing_dimension']],
  ['resourceName', ['resource_name', 'resource_uuid']],
  ['resourceUuid', ['resource_uuid']],
  ['billingDimension', ['billing_dimension']],
];

/** Fields of an entry, in order. */
export const shownFields = (groupBy: readonly MetricsGroup[]): MetricsField[] =>
  filledBy.filter(([, groups]) => groups.some((one) => groupBy.includes(one))).map(([field]) => field);

/** Usage of several dimensions has no common unit, so it is left out where dimensions are added up. */
export const showsUsage = ({ groupBy }: Pick<Shown, 'groupBy'>): boolean => groupBy.includes('billing_dimension');

const sumsOf = ({ micro, pico }: Sums, shown: Shown): { cost: ExactNumber; usage?: ExactNumber } => ({
  cost: usdOf(pico),
  ...(showsUsage(shown) ? { usage: unitsOf(micro) } : {}),
});

export const renderSummary = ({ micro, pico }: Sums, shown: Pick<Shown, 'groupBy'>) => ({
  totalCost: usdOf(pico),
  ...(showsUsage(shown) ? { totalUsage: unitsOf(micro) } : {}),
});

const nothing: Sums = { micro: 0n, pico: 0n };

export function renderEntry(group: MetricsGroupSums, shown: Shown) {
  const { groupBy, resolution, fromMs, starts } = shown;
  const used = new Map(group.buckets.map((bucket) => [bucketStart(resolution, bucket.startMs), bucket]));
  return {
    ...Object.fromEntries(shownFields(groupBy).map((field) => [field, group[field]])),
    summary: sumsOf(group, shown),
    timeseries: starts.map((start) => ({
      timestamp: new Date(Math.max(start, fromMs)).toISOString(),
      ...sumsOf(used.get(start) ?? nothing, shown),
    })),
  };
}

/** The only entry of an answer without groups, also when nothing was used. */
export const emptyGroup: MetricsGroupSums = { key: [], ...nothing, buckets: [] };

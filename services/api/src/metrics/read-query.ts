// A query about usage as it is answered: defaults chosen, its size bounded. Pure.
import type { AccountMetricsQuery, MetricsGroup, MetricsResolution } from '@berth/contract';
import { bucketStarts } from './buckets.ts';
import { type MetricsWindow, resolutionOf, windowOf } from './window.ts';

export interface AskedMetrics {
  readonly window: MetricsWindow;
  readonly resolution: MetricsResolution;
  readonly groupBy: readonly MetricsGroup[];
  readonly filters: Pick<
    AccountMetricsQuery,
    'workspace' | 'resourceType' | 'resourceName' | 'resourceUuid' | 'billingDimension'
  >;
  /** Starts of all buckets of the window. */
  readonly starts: readonly number[];
  /** Groups in one answer. */
  readonly limit: number;
}

const defaultLimit = 100;
/** Points in one answer: a window of thousands of years has its groups on more pages. */
export const maxPoints = 200_000;

export function readQuery(query: AccountMetricsQuery): AskedMetrics {
  const { groupBy = [], limit = defaultLimit } = query;
  const { workspace, resourceType, resourceName, resourceUuid, billingDimension } = query;
  const window = windowOf(query);
  const resolution = resolutionOf(query, query.resolution);
  const starts = bucketStarts(window, resolution);
  return {
    ...{ window, resolution, groupBy, starts },
    filters: { workspace, resourceType, resourceName, resourceUuid, billingDimension },
    limit: Math.min(limit, Math.max(1, Math.floor(maxPoints / starts.length))),
  };
}

import { type Usage, UsageUnavailable } from '@berth/usage';
import type { Dependencies } from '../dependencies.ts';
import { requestMetricErrors } from './errors.ts';

/** Runs a query in ClickHouse. A missing or unreachable ClickHouse becomes an error that names the next step. */
export async function withRequests<T>(
  { usage }: Pick<Dependencies, 'usage'>,
  work: (requests: Usage['requests']) => Promise<T>,
): Promise<T> {
  if (usage === undefined) throw requestMetricErrors.request_metrics_unavailable();
  try {
    return await work(usage.requests);
  } catch (error) {
    throw error instanceof UsageUnavailable ? requestMetricErrors.request_metrics_unreachable({}, error) : error;
  }
}

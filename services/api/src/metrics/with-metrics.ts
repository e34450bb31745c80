import { type Usage, UsageUnavailable } from '@berth/usage';
import type { Dependencies } from '../dependencies.ts';
import { metricErrors } from './errors.ts';

/** Runs a query in ClickHouse. A missing or unreachable ClickHouse becomes an error that names the next step. */
export async function withMetrics<T>(
  { usage }: Pick<Dependencies, 'usage'>,
  work: (metrics: Usage['metrics']) => Promise<T>,
): Promise<T> {
  if (usage === undefined) throw metricErrors.metrics_unavailable();
  try {
    return await work(usage.metrics);
  } catch (error) {
    throw error instanceof UsageUnavailable ? metricErrors.metrics_unreachable({}, error) : error;
  }
}

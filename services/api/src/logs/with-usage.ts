import { type Usage, UsageUnavailable } from '@berth/usage';
import type { Dependencies } from '../dependencies.ts';
import { logErrors } from './errors.ts';

/** Runs work with ClickHouse. A missing or unreachable ClickHouse becomes an error that names the next step. */
export async function withUsage<T>(
  { usage }: Pick<Dependencies, 'usage'>,
  work: (usage: Usage) => Promise<T>,
): Promise<T> {
  if (usage === undefined) throw logErrors.logs_unavailable();
  try {
    return await work(usage);
  } catch (error) {
    throw error instanceof UsageUnavailable ? logErrors.logs_unreachable({}, error) : error;
  }
}

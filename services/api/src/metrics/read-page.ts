import type { Database } from '@berth/database';
import { type MetricsPage, readMetrics, type Usage } from '@berth/usage';
import type { MetricsWalk } from './metrics-cursor.ts';
import type { AskedMetrics } from './read-query.ts';
import { pastPart } from './window.ts';

/** What a page is read for. */
interface PageOf {
  readonly accountId: string;
  /** Undefined for all workspaces of the account. */
  readonly workspaceIds: readonly string[] | undefined;
  /** End of the time that all pages are about. */
  readonly untilMs: number;
  readonly after: MetricsWalk['after'] | undefined;
}

const emptyPage: MetricsPage = { total: { micro: 0n, pico: 0n }, groups: [], hasMore: false };

export async function readPage(
  database: Database,
  metrics: Usage['metrics'],
  { window, resolution, groupBy, filters, limit }: AskedMetrics,
  { accountId, workspaceIds, untilMs, after }: PageOf,
): Promise<MetricsPage> {
  const past = pastPart(window, untilMs);
  if (past === undefined) return emptyPage;
  return readMetrics(database, metrics, {
    ...{ accountId, workspaceIds, ...past },
    ...{ resolution, groupBy, filters, limit, after },
  });
}

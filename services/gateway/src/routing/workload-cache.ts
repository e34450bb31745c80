import { createLookupCache, type LookupCache, type LookupCacheOptions, type NameForm } from './lookup-cache.ts';
import { queryNames } from './name-query.ts';
import type { NoticeLog } from './notice-log.ts';
import type { FoundWorkload, Route } from './route.ts';
import { listenForNotices } from './route-notices.ts';
import { isPossible, queryWorkload } from './workload-query.ts';

export interface WorkloadCacheOptions extends LookupCacheOptions {
  /** Database for notices, which arrive on a separate connection. */
  readonly databaseUrl: string;
}

export interface WorkloadCache extends LookupCache<Route, FoundWorkload> {
  /** Notices about resources, for other caches of the same gateway. */
  readonly notices: NoticeLog;
  /** Resolves at the next notice about the workload, or after `maxMs`. */
  nextChange(uid: string, maxMs: number): Promise<void>;
  close(): Promise<void>;
}

const workloadNames: NameForm<Route, FoundWorkload> = {
  keyOf: (route) =>
    route.by === 'path'
      ? `path/${route.workspace}/${route.kind}/${route.name}`
      : `${route.by}/${route.region}/${route.label}`,
  isPossible,
  query: queryWorkload,
  queryNames,
};

export function createWorkloadCache(options: WorkloadCacheOptions): WorkloadCache {
  const { notices, close } = listenForNotices(options.databaseUrl, options.logger);
  const cache = createLookupCache(workloadNames, notices, options);
  return { ...cache, notices, nextChange: notices.nextChange, close };
}

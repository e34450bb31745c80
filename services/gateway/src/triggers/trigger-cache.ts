import { createLookupCache, type LookupCache, type LookupCacheOptions } from '../routing/lookup-cache.ts';
import type { NoticeLog } from '../routing/notice-log.ts';
import type { TriggerRoute } from '../routing/route.ts';
import type { FoundTrigger } from '../routing/trigger.ts';
import { triggerNames } from './trigger-query.ts';

export type TriggerCache = LookupCache<TriggerRoute, FoundTrigger>;

/** Receives the notices of the workload cache, so that a gateway listens once. */
export const createTriggerCache = (notices: NoticeLog, options: LookupCacheOptions): TriggerCache =>
  createLookupCache(triggerNames, notices, options);

import { createLookupCache, type LookupCache, type LookupCacheOptions } from '../routing/lookup-cache.ts';
import type { NoticeLog } from '../routing/notice-log.ts';
import type { ModelRoute } from '../routing/route.ts';
import type { FoundModel } from './model.ts';
import { type ModelSecrets, modelNames } from './model-query.ts';

export type ModelCache = LookupCache<ModelRoute, FoundModel>;

/** Receives the notices of the workload cache, so that a gateway listens once. */
export const createModelCache = (notices: NoticeLog, secrets: ModelSecrets, options: LookupCacheOptions): ModelCache =>
  createLookupCache(modelNames(secrets), notices, options);

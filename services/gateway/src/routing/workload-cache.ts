// Cache of workloads. PostgreSQL is the source of truth. A result is fresh for 800 ms or until a notice about the
// workload, and is used for one more minute while PostgreSQL does not answer. A missing workload is never cached: the
// first call after its creation has to find it (sandbox sheet R-61), at any gateway and however late the notice
// arrives.
// Names that were never found are looked up in lanes, so that invented names do not delay known ones: one lane for
// callers with a valid key, and a smaller one for all other callers, where one query checks many names for existence.

import { answerInTime, BoundedMap } from '@berth/concurrency';
import {
  type BatchLaneOptions,
  createBatchLane,
  createLookupLane,
  type Database,
  type LookupLane,
  laneFull,
  listen,
  routesChannel,
} from '@berth/database';
import type { Logger } from '@berth/telemetry';
import { lookupError } from '../errors/lookup-error.ts';
import { queryNames } from './name-query.ts';
import { createNoticeLog } from './notice-log.ts';
import type { FoundWorkload, Route } from './route.ts';
import { isPossible, queryWorkload } from './workload-query.ts';

export interface WorkloadCacheOptions {
  readonly database: Database;
  /** Database for notices, which arrive on a separate connection. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Lanes for names that were never found, by type of caller. */
  readonly lookupLanes?: LookupLanes;
  /** Monotonic clock in milliseconds: a wall clock that is set back would keep old results alive. */
  readonly now?: () => number;
}

/** `caller` has shown a valid key; `stranger` has not. */
type Asker = 'caller' | 'stranger';

interface LookupLanes {
  readonly caller: { readonly database: Database; readonly lane: LookupLane };
  readonly stranger: { readonly database: Database; readonly lane: BatchLaneOptions };
}

export interface WorkloadCache {
  /**
   * Undefined when there is no such workload. Throws PLATFORM_UNAVAILABLE when the database does not answer and nothing
   * is cached, and LOOKUPS_BUSY when the name was never found and its lane is full.
   */
  find(route: Route, asker?: Asker): Promise<FoundWorkload | undefined>;
  /** Resolves at the next notice about the workload, or after `maxMs`. */
  nextChange(uid: string, maxMs: number): Promise<void>;
  /** Marks the cached result as stale, because it has proven wrong. */
  invalidate(route: Route): void;
  /** Fresh cached result, synchronously; undefined when there is none, and then `find` has to ask. */
  peek(route: Route): FoundWorkload | undefined;
  close(): Promise<void>;
}

interface CacheEntry {
  readonly freshUntil: number;
  readonly knownUntil: number;
  /** Number of notices received when the query began. */
  readonly noticesSeen: number;
  readonly workload: FoundWorkload;
}

interface PendingLookup {
  readonly startedAt: number;
  readonly noticesSeen: number;
  readonly result: Promise<FoundWorkload | undefined>;
}

const freshMs = 800;
const staleMs = 60_000;
const maxEntries = 10_000;
/** Pause between queries for a known workload while PostgreSQL does not answer. */
const retryMs = 250;

const usualLane = { maxRunning: 2, maxWaiting: 1_000 };

const keyOf = (route: Route): string =>
  route.by === 'path'
    ? `path/${route.workspace}/${route.kind}/${route.name}`
    : `${route.by}/${route.region}/${route.label}`;

export function createWorkloadCache(options: WorkloadCacheOptions): WorkloadCache {
  const { database, databaseUrl, logger, now = () => performance.now() } = options;
  const {
    lookupLanes = {
      caller: { database, lane: createLookupLane(usualLane) },
      stranger: { database, lane: { maxWaiting: usualLane.maxWaiting } },
    },
  } = options;
  const { caller, stranger } = lookupLanes;
  const nameLane = createBatchLane((names: readonly Route[]) => queryNames(stranger.database, names), stranger.lane);
  const workloadLane = createLookupLane({ maxRunning: 1, maxWaiting: stranger.lane.maxWaiting });
  const known = new BoundedMap<CacheEntry>(maxEntries);
  // Holds at most one query per known name, plus as many as the lanes admit.
  const pendingLookups = new Map<string, PendingLookup>();
  const notices = createNoticeLog();
  const listener = listen({
    url: databaseUrl,
    channel: routesChannel,
    onNotification: notices.record,
    onError: (err) =>
      logger.warn({ err }, 'listening for route changes failed; changes are found by query within a second'),
  });

  /** A cached result or a running query is outdated when a notice about its workload arrived after it began. */
  const isOutdated = (key: string, noticesSeen: number): boolean =>
    notices.isSince(noticesSeen, known.get(key)?.workload?.uid);

  function store(key: string, { startedAt, noticesSeen }: PendingLookup, workload: FoundWorkload | undefined): void {
    if (workload === undefined) return void known.delete(key);
    // Counted from the start of the query, since the result may be as old as that.
    const endsAt = startedAt + (workload.endsInMs ?? Number.POSITIVE_INFINITY);
    known.set(key, {
      freshUntil: Math.min(startedAt + freshMs, endsAt),
      knownUntil: Math.min(startedAt + freshMs + staleMs, endsAt),
      noticesSeen,
      workload,
    });
  }

  async function storeResult(key: string, lookup: PendingLookup): Promise<void> {
    const isNewest = () => pendingLookups.get(key) === lookup;
    try {
      const workload = await lookup.result;
      if (isNewest()) store(key, lookup, workload);
    } catch (err) {
      logger.debug({ err }, 'workload lookup failed; a cached result is used if there is one');
    } finally {
      if (isNewest()) pendingLookups.delete(key);
    }
  }

  function lookUp(key: string, route: Route, asker: Asker): Promise<FoundWorkload | undefined> {
    if (known.get(key) !== undefined) return queryWorkload(database, route);
    if (asker === 'stranger') {
      if (nameLane.isFull) throw laneFull;
      return lookUpForStranger(route);
    }
    if (caller.lane.isFull) throw laneFull;
    return caller.lane.ask(() => queryWorkload(caller.database, route));
  }

  async function lookUpForStranger(route: Route): Promise<FoundWorkload | undefined> {
    return (await nameLane.ask(route)) ? workloadLane.ask(() => queryWorkload(stranger.database, route)) : undefined;
  }

  function lookUpShared(key: string, route: Route, asker: Asker): PendingLookup {
    const open = pendingLookups.get(key);
    if (open !== undefined && now() < open.startedAt + freshMs && !isOutdated(key, open.noticesSeen)) return open;
    const result = answerInTime(lookUp(key, route, asker), { hasStandIn: staleEntry(key) !== undefined });
    const lookup = { startedAt: now(), noticesSeen: notices.count(), result };
    pendingLookups.set(key, lookup);
    void storeResult(key, lookup);
    return lookup;
  }

  /**
   * A query that began before the workload was created does not see it. A negative result of a shared query is
   * therefore confirmed by a newer query.
   */
  async function lookUpConfirmed(key: string, route: Route, asker: Asker): Promise<FoundWorkload | undefined> {
    const open = pendingLookups.get(key);
    const lookup = lookUpShared(key, route, asker);
    const workload = await lookup.result;
    return workload === undefined && lookup === open ? lookUpShared(key, route, asker).result : workload;
  }

  /** Cached result to use while the database does not answer. */
  function staleEntry(key: string): CacheEntry | undefined {
    const entry = known.get(key);
    return entry !== undefined && now() < entry.knownUntil ? entry : undefined;
  }

  function serveStale(key: string): FoundWorkload | undefined {
    const entry = staleEntry(key);
    if (entry === undefined) return undefined;
    const freshUntil = Math.min(now() + retryMs, entry.knownUntil);
    known.set(key, { ...entry, freshUntil, noticesSeen: notices.count() });
    return entry.workload;
  }

  const isFresh = ({ freshUntil, noticesSeen, workload }: CacheEntry): boolean =>
    now() < freshUntil && !notices.isSince(noticesSeen, workload.uid);

  return {
    peek(route) {
      const entry = known.get(keyOf(route));
      return entry !== undefined && isFresh(entry) ? entry.workload : undefined;
    },
    async find(route, asker = 'stranger') {
      const key = keyOf(route);
      const entry = known.get(key);
      if (entry !== undefined && isFresh(entry)) return entry.workload;
      if (!isPossible(route)) return undefined;
      try {
        return await lookUpConfirmed(key, route, asker);
      } catch (error) {
        const workload = serveStale(key);
        if (workload === undefined) throw lookupError(error);
        return workload;
      }
    },
    nextChange: notices.nextChange,
    invalidate(route) {
      const key = keyOf(route);
      const entry = known.get(key);
      if (entry !== undefined) known.set(key, { ...entry, freshUntil: Number.NEGATIVE_INFINITY });
    },
    close: () => listener.close(),
  };
}

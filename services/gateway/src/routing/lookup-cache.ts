// Cache of what addresses name. PostgreSQL is the source of truth. A result is fresh for 800 ms or until a notice about
// its resource, and is used for one more minute while PostgreSQL does not answer. A missing name is never cached: the
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
} from '@berth/database';
import type { Logger } from '@berth/telemetry';
import { lookupError } from '../errors/lookup-error.ts';
import type { NoticeLog } from './notice-log.ts';

/** Queries for one form of names. */
export interface NameForm<Name, Found> {
  keyOf(name: Name): string;
  /** False for a name that nothing can have: it needs no query, and text of any length is not cached. */
  isPossible(name: Name): boolean;
  query(database: Database, name: Name): Promise<Found | undefined>;
  /** Checks which names exist, in the order of the names. A name that exists may still not be found by `query`. */
  queryNames(database: Database, names: readonly Name[]): Promise<boolean[]>;
}

/** Fields of a result that the cache reads. */
interface Cacheable {
  /** Notices name the resource. */
  readonly uid: string;
  /** Remaining lifetime, counted from the query; undefined without an end. */
  readonly endsInMs?: number | undefined;
}

export interface LookupCacheOptions {
  readonly database: Database;
  readonly logger: Logger;
  /** Lanes for names that were never found, by type of caller. */
  readonly lookupLanes?: LookupLanes | undefined;
  /** Monotonic clock in milliseconds: a wall clock that is set back would keep old results alive. */
  readonly now?: (() => number) | undefined;
}

/** `caller` has shown a valid key; `stranger` has not. */
type Asker = 'caller' | 'stranger';

interface LookupLanes {
  readonly caller: { readonly database: Database; readonly lane: LookupLane };
  readonly stranger: { readonly database: Database; readonly lane: BatchLaneOptions };
}

export interface LookupCache<Name, Found> {
  /**
   * Undefined when nothing has the name. Throws PLATFORM_UNAVAILABLE when the database does not answer and nothing is
   * cached, and LOOKUPS_BUSY when the name was never found and its lane is full.
   */
  find(name: Name, asker?: Asker): Promise<Found | undefined>;
  /** Marks the cached result as stale, because it has proven wrong. */
  invalidate(name: Name): void;
  /** Fresh cached result, synchronously; undefined when there is none, and then `find` has to ask. */
  peek(name: Name): Found | undefined;
}

interface CacheEntry<Found> {
  readonly freshUntil: number;
  readonly knownUntil: number;
  /** Number of notices received when the query began. */
  readonly noticesSeen: number;
  readonly found: Found;
}

interface PendingLookup<Found> {
  readonly startedAt: number;
  readonly noticesSeen: number;
  readonly result: Promise<Found | undefined>;
}

const freshMs = 800;
const staleMs = 60_000;
const maxEntries = 10_000;
/** Pause between queries for a known name while PostgreSQL does not answer. */
const retryMs = 250;

const usualLane = { maxRunning: 2, maxWaiting: 1_000 };

export function createLookupCache<Name, Found extends Cacheable>(
  { keyOf, isPossible, query, queryNames }: NameForm<Name, Found>,
  notices: Pick<NoticeLog, 'count' | 'isSince'>,
  options: LookupCacheOptions,
): LookupCache<Name, Found> {
  const { database, logger, now = () => performance.now() } = options;
  const {
    lookupLanes = {
      caller: { database, lane: createLookupLane(usualLane) },
      stranger: { database, lane: { maxWaiting: usualLane.maxWaiting } },
    },
  } = options;
  const { caller, stranger } = lookupLanes;
  const nameLane = createBatchLane((names: readonly Name[]) => queryNames(stranger.database, names), stranger.lane);
  const foundLane = createLookupLane({ maxRunning: 1, maxWaiting: stranger.lane.maxWaiting });
  const known = new BoundedMap<CacheEntry<Found>>(maxEntries);
  // Holds at most one query per known name, plus as many as the lanes admit.
  const pendingLookups = new Map<string, PendingLookup<Found>>();

  /** A cached result or a running query is outdated when a notice about its resource arrived after it began. */
  const isOutdated = (key: string, noticesSeen: number): boolean =>
    notices.isSince(noticesSeen, known.get(key)?.found.uid);

  function store(key: string, { startedAt, noticesSeen }: PendingLookup<Found>, found: Found | undefined): void {
    if (found === undefined) return void known.delete(key);
    // Counted from the start of the query, since the result may be as old as that.
    const endsAt = startedAt + (found.endsInMs ?? Number.POSITIVE_INFINITY);
    known.set(key, {
      freshUntil: Math.min(startedAt + freshMs, endsAt),
      knownUntil: Math.min(startedAt + freshMs + staleMs, endsAt),
      noticesSeen,
      found,
    });
  }

  async function storeResult(key: string, lookup: PendingLookup<Found>): Promise<void> {
    const isNewest = () => pendingLookups.get(key) === lookup;
    try {
      const found = await lookup.result;
      if (isNewest()) store(key, lookup, found);
    } catch (err) {
      logger.debug({ err }, 'lookup of a name failed; a cached result is used if there is one');
    } finally {
      if (isNewest()) pendingLookups.delete(key);
    }
  }

  function lookUp(key: string, name: Name, asker: Asker): Promise<Found | undefined> {
    if (known.get(key) !== undefined) return query(database, name);
    if (asker === 'stranger') {
      if (nameLane.isFull) throw laneFull;
      return lookUpForStranger(name);
    }
    if (caller.lane.isFull) throw laneFull;
    return caller.lane.ask(() => query(caller.database, name));
  }

  async function lookUpForStranger(name: Name): Promise<Found | undefined> {
    return (await nameLane.ask(name)) ? foundLane.ask(() => query(stranger.database, name)) : undefined;
  }

  function lookUpShared(key: string, name: Name, asker: Asker): PendingLookup<Found> {
    const open = pendingLookups.get(key);
    if (open !== undefined && now() < open.startedAt + freshMs && !isOutdated(key, open.noticesSeen)) return open;
    const result = answerInTime(lookUp(key, name, asker), { hasStandIn: staleEntry(key) !== undefined });
    const lookup = { startedAt: now(), noticesSeen: notices.count(), result };
    pendingLookups.set(key, lookup);
    void storeResult(key, lookup);
    return lookup;
  }

  /**
   * A query that began before the resource was created does not see it. A negative result of a shared query is
   * therefore confirmed by a newer query.
   */
  async function lookUpConfirmed(key: string, name: Name, asker: Asker): Promise<Found | undefined> {
    const open = pendingLookups.get(key);
    const lookup = lookUpShared(key, name, asker);
    const found = await lookup.result;
    return found === undefined && lookup === open ? lookUpShared(key, name, asker).result : found;
  }

  /** Cached result to use while the database does not answer. */
  function staleEntry(key: string): CacheEntry<Found> | undefined {
    const entry = known.get(key);
    return entry !== undefined && now() < entry.knownUntil ? entry : undefined;
  }

  function serveStale(key: string): Found | undefined {
    const entry = staleEntry(key);
    if (entry === undefined) return undefined;
    const freshUntil = Math.min(now() + retryMs, entry.knownUntil);
    known.set(key, { ...entry, freshUntil, noticesSeen: notices.count() });
    return entry.found;
  }

  const isFresh = ({ freshUntil, noticesSeen, found }: CacheEntry<Found>): boolean =>
    now() < freshUntil && !notices.isSince(noticesSeen, found.uid);

  return {
    peek(name) {
      const entry = known.get(keyOf(name));
      return entry !== undefined && isFresh(entry) ? entry.found : undefined;
    },
    async find(name, asker = 'stranger') {
      const key = keyOf(name);
      const entry = known.get(key);
      if (entry !== undefined && isFresh(entry)) return entry.found;
      if (!isPossible(name)) return undefined;
      try {
        return await lookUpConfirmed(key, name, asker);
      } catch (error) {
        const found = serveStale(key);
        if (found === undefined) throw lookupError(error);
        return found;
      }
    },
    invalidate(name) {
      const key = keyOf(name);
      const entry = known.get(key);
      if (entry !== undefined) known.set(key, { ...entry, freshUntil: Number.NEGATIVE_INFINITY });
    },
  };
}

// Maps a bearer value to a principal. Answers are cached for less than a second, so every server refuses a revoked key
// within one second without messages between servers. With `staleMs`, known principals are accepted for longer while
// the database is unavailable: a gateway then still serves its recent callers. A key that was never found is looked up
// in a separate lane, so that invented keys neither delay known keys nor make the database look unavailable.
import { hash } from 'node:crypto';
import { answerInTime, BoundedMap } from '@berth/concurrency';
import { type BatchLaneOptions, createBatchLane, type Database, laneFull } from '@berth/database';
import type { Principal } from '../principal.ts';
import { isInventedKey } from './api-keys.ts';
import { type FoundPrincipal, findPrincipal, findPrincipals } from './find-principal.ts';
import { hashSecret } from './hash-secret.ts';
import { createKeyUseRecorder } from './record-key-use.ts';

export interface Authenticator {
  /**
   * `fresh` queries the database regardless of the cache: a right granted a moment ago must not be refused.
   * Rejects with LaneFull when the key was never found and too many such keys are being looked up.
   */
  authenticate(bearer: string, options?: { readonly fresh?: boolean }): Promise<Principal | undefined>;
  /** The cached principal if it is still fresh, without waiting. Undefined otherwise; then call `authenticate`. */
  remembered(bearer: string): Principal | undefined;
  /**
   * Cached answers about these principals are looked up again before use. Their keys stay known, so that no flood of
   * unknown keys can shut them out.
   */
  forget(isAffected: (principal: Principal) => boolean): void;
}

interface Lookup {
  readonly askedAt: number;
  readonly found: Promise<FoundPrincipal | undefined>;
}

interface CachedAnswer {
  readonly freshUntil: number;
  /** Until then the answer may be used when the database does not answer. */
  readonly knownUntil: number;
  readonly principal: Principal | undefined;
}

/** Pause before a known principal is looked up again while the database is unavailable. */
const retryMs = 250;

const defaultLane = { maxWaiting: 200 };

const forgotten = { freshUntil: Number.NEGATIVE_INFINITY, knownUntil: Number.NEGATIVE_INFINITY };

/** Longer than any key we issue; longer values are refused without hashing. */
const maxBearerLength = 512;

export function createAuthenticator(
  db: Database,
  options: {
    freshMs?: number;
    /** Time after its lookup during which a principal is accepted when the database does not answer. */
    staleMs?: number;
    maxEntries?: number;
    now?: () => number;
    /** Database and lane for never-seen keys; by default they use one connection of `db`. */
    unknownKeys?: { readonly database: Database; readonly lane: BatchLaneOptions };
  } = {},
): Authenticator {
  // Monotonic by default: a wall clock set back would keep revoked keys alive.
  const { freshMs = 900, staleMs = 0, maxEntries = 10_000, now = () => performance.now() } = options;
  const { unknownKeys = { database: db, lane: defaultLane } } = options;
  const unknownKeysLane = createBatchLane(
    (digests: readonly Buffer[]) => findPrincipals(unknownKeys.database, digests),
    unknownKeys.lane,
  );
  const recordUse = createKeyUseRecorder(db);
  // Open lookups: at most one per known key, and as many others as the lane holds.
  const lookups = new Map<string, Lookup>();
  // Separate maps, so that a flood of bad keys does not evict the good ones.
  const known = new BoundedMap<CachedAnswer>(maxEntries);
  const unknown = new BoundedMap<CachedAnswer>(maxEntries);

  function store(id: string, askedAt: number, found: FoundPrincipal | undefined): void {
    const [side, otherSide] = found === undefined ? [unknown, known] : [known, unknown];
    // Counted from before the lookup, since the answer may be as old as that.
    const until = (ms: number): number => askedAt + Math.min(ms, found?.remainingMs ?? ms);
    side.set(id, { freshUntil: until(freshMs), knownUntil: until(staleMs), principal: found?.principal });
    otherSide.delete(id);
  }

  /** Cached answer that may be used when the database does not answer. */
  function standIn(id: string): CachedAnswer | undefined {
    const answer = known.get(id);
    return answer !== undefined && now() < answer.knownUntil ? answer : undefined;
  }

  function useStandIn(id: string): CachedAnswer | undefined {
    const answer = standIn(id);
    if (answer === undefined) return undefined;
    known.set(id, { ...answer, freshUntil: Math.min(now() + retryMs, answer.knownUntil) });
    return answer;
  }

  async function finishLookup(id: string, lookup: Lookup): Promise<void> {
    const isNewest = () => lookups.get(id) === lookup;
    try {
      const found = await lookup.found;
      // A lookup that was forgotten or overtaken by a newer one saw data too old to cache.
      if (isNewest()) store(id, lookup.askedAt, found);
      if (found?.useIsDue) recordUse(found.principal.keyId);
    } catch {
      // The caller gets the error; nothing is cached, so the next caller looks up again.
    } finally {
      if (isNewest()) lookups.delete(id);
    }
  }

  function lookUp(id: string, digest: Buffer, fresh: boolean): Lookup {
    const open = lookups.get(id);
    if (!fresh && open !== undefined && now() < open.askedAt + freshMs) return open;
    const isUnknownKey = known.get(id) === undefined;
    if (isUnknownKey && unknownKeysLane.isFull) throw laneFull;
    const found = isUnknownKey ? unknownKeysLane.ask(digest) : findPrincipal(db, digest);
    const hasStandIn = standIn(id) !== undefined;
    const lookup = { askedAt: now(), found: staleMs > 0 ? answerInTime(found, { hasStandIn }) : found };
    lookups.set(id, lookup);
    void finishLookup(id, lookup);
    return lookup;
  }

  return {
    remembered(bearer) {
      if (bearer.length > maxBearerLength) return undefined;
      const answer = known.get(idOf(bearer));
      return answer !== undefined && now() < answer.freshUntil ? answer.principal : undefined;
    },
    async authenticate(bearer, { fresh = false } = {}) {
      if (bearer.length === 0 || bearer.length > maxBearerLength || isInventedKey(bearer)) return undefined;
      const id = idOf(bearer);
      const answer = known.get(id) ?? unknown.get(id);
      if (!fresh && answer !== undefined && now() < answer.freshUntil) return answer.principal;
      try {
        return (await lookUp(id, hashSecret(bearer), fresh).found)?.principal;
      } catch (error) {
        const known = useStandIn(id);
        if (known === undefined) throw error;
        return known.principal;
      }
    },
    forget(isAffected) {
      // An open lookup may have read its rows before the change, and its principal is not known yet.
      lookups.clear();
      for (const [id, answer] of known.entries())
        if (answer.principal !== undefined && isAffected(answer.principal)) known.set(id, { ...answer, ...forgotten });
    },
  };
}

/** The cache holds hashes of keys only, so that no secret stays in memory. */
const idOf = (bearer: string): string => hash('sha256', bearer, 'base64');

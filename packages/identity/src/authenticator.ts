// From a bearer value to a principal. Answers are kept for less than a second, so a revoked key is refused within one
// second by every server without any message between them. Who may say so keeps known principals for longer while the
// database is away: a gateway then still serves those who called it a moment ago. A key that was never found is a stranger's: its
// question takes a lane of its own, so that invented keys neither delay those that are known nor make the database look away.
import { hash } from 'node:crypto';
import { answerInTime, type BatchLaneOptions, createBatchLane, type Database, laneFull } from '@berth/database';
import { hashSecret } from './api-keys.ts';
import { BoundedMap } from './bounded-map.ts';
import { isInventedKey } from './checksum.ts';
import { type FoundPrincipal, findPrincipal, findPrincipals } from './find-principal.ts';
import type { Principal } from './principal.ts';
import { createKeyUseRecorder } from './record-key-use.ts';

export interface Authenticator {
  /**
   * `fresh` asks the database whatever is remembered: a right gained a moment ago must not be refused.
   * Rejects with LaneFull when the key is a stranger's and too many of those are being looked up.
   */
  authenticate(bearer: string, options?: { readonly fresh?: boolean }): Promise<Principal | undefined>;
  /** What is remembered and still fresh, at once; undefined when nothing is, and then `authenticate` tells. */
  remembered(bearer: string): Principal | undefined;
  /** What is remembered of these is asked for again before it is used. They stay known, so no flood can shut them out. */
  forget(isAffected: (principal: Principal) => boolean): void;
}

interface Question {
  readonly askedAt: number;
  readonly found: Promise<FoundPrincipal | undefined>;
}

interface Answer {
  readonly freshUntil: number;
  /** Until then it may stand in for an answer that the database does not give. */
  readonly knownUntil: number;
  readonly principal: Principal | undefined;
}

/** While it is away, how long a known principal is served before it is asked again. */
const retryMs = 250;

const usualLane = { maxWaiting: 200 };

const forgotten = { freshUntil: Number.NEGATIVE_INFINITY, knownUntil: Number.NEGATIVE_INFINITY };

/** Longer than any key we make; the rest of a huge header is not worth hashing. */
const maxBearerLength = 512;

export function createAuthenticator(
  db: Database,
  options: {
    freshMs?: number;
    /** For how long after it was found a principal is accepted when the database does not answer. */
    staleMs?: number;
    maxEntries?: number;
    now?: () => number;
    /** Where never-seen keys are looked up: over connections of their own, or one of `db`. */
    strangers?: { readonly database: Database; readonly lane: BatchLaneOptions };
  } = {},
): Authenticator {
  // Monotonic by default: a wall clock set back would keep revoked keys alive.
  const { freshMs = 900, staleMs = 0, maxEntries = 10_000, now = () => performance.now() } = options;
  const { strangers = { database: db, lane: usualLane } } = options;
  const strangersLane = createBatchLane(
    (digests: readonly Buffer[]) => findPrincipals(strangers.database, digests),
    strangers.lane,
  );
  const recordUse = createKeyUseRecorder(db);
  // At most one a known key, and as many as the lane holds.
  const questions = new Map<string, Question>();
  // Apart from each other, so that a flood of bad keys does not push out the good ones.
  const known = new BoundedMap<Answer>(maxEntries);
  const unknown = new BoundedMap<Answer>(maxEntries);

  function keep(id: string, askedAt: number, found: FoundPrincipal | undefined): void {
    const [side, otherSide] = found === undefined ? [unknown, known] : [known, unknown];
    // Counted from before the question, since the answer may be as old as that.
    const until = (ms: number): number => askedAt + Math.min(ms, found?.remainingMs ?? ms);
    side.set(id, { freshUntil: until(freshMs), knownUntil: until(staleMs), principal: found?.principal });
    otherSide.delete(id);
  }

  /** What may be said of a key when the database says nothing. */
  function standIn(id: string): Answer | undefined {
    const answer = known.get(id);
    return answer !== undefined && now() < answer.knownUntil ? answer : undefined;
  }

  function useStandIn(id: string): Answer | undefined {
    const answer = standIn(id);
    if (answer === undefined) return undefined;
    known.set(id, { ...answer, freshUntil: Math.min(now() + retryMs, answer.knownUntil) });
    return answer;
  }

  async function settle(id: string, question: Question): Promise<void> {
    const isNewest = () => questions.get(id) === question;
    try {
      const found = await question.found;
      // Forgotten or overtaken by a newer question: what this one saw is too old to keep.
      if (isNewest()) keep(id, question.askedAt, found);
      if (found?.useIsDue) recordUse(found.principal.keyId);
    } catch {
      // Whoever asked gets the error; nothing is kept, so the next caller asks again.
    } finally {
      if (isNewest()) questions.delete(id);
    }
  }

  function ask(id: string, digest: Buffer, fresh: boolean): Question {
    const open = questions.get(id);
    if (!fresh && open !== undefined && now() < open.askedAt + freshMs) return open;
    const isStranger = known.get(id) === undefined;
    if (isStranger && strangersLane.isFull) throw laneFull;
    const found = isStranger ? strangersLane.ask(digest) : findPrincipal(db, digest);
    const hasStandIn = standIn(id) !== undefined;
    const question = { askedAt: now(), found: staleMs > 0 ? answerInTime(found, { hasStandIn }) : found };
    questions.set(id, question);
    void settle(id, question);
    return question;
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
        return (await ask(id, hashSecret(bearer), fresh).found)?.principal;
      } catch (error) {
        const known = useStandIn(id);
        if (known === undefined) throw error;
        return known.principal;
      }
    },
    forget(isAffected) {
      // An open question may have been answered before the change, and whose key it is about is not known yet.
      questions.clear();
      for (const [id, answer] of known.entries())
        if (answer.principal !== undefined && isAffected(answer.principal)) known.set(id, { ...answer, ...forgotten });
    },
  };
}

/** No secret is kept, not even in memory. */
const idOf = (bearer: string): string => hash('sha256', bearer, 'base64');

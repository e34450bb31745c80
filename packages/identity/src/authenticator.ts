// From a bearer value to a principal. Answers are kept for less than a second, so a revoked key is refused within one
// second by every server without any message between them.
import type { Database } from '@berth/database';
import { hashSecret } from './api-keys.ts';
import { BoundedMap } from './bounded-map.ts';
import { type FoundPrincipal, findPrincipal } from './find-principal.ts';
import type { Principal } from './principal.ts';
import { createKeyUseRecorder } from './record-key-use.ts';

export interface Authenticator {
  /** `fresh` asks the database whatever is remembered: a right gained a moment ago must not be refused. */
  authenticate(bearer: string, options?: { readonly fresh?: boolean }): Promise<Principal | undefined>;
  forgetAll(): void;
}

interface Question {
  readonly askedAt: number;
  readonly found: Promise<FoundPrincipal | undefined>;
}

interface Answer {
  readonly freshUntil: number;
  readonly principal: Principal | undefined;
}

/** Longer than any key we make; the rest of a huge header is not worth hashing. */
const maxBearerLength = 512;

export function createAuthenticator(
  db: Database,
  options: { freshMs?: number; maxEntries?: number; now?: () => number } = {},
): Authenticator {
  // Monotonic by default: a wall clock set back would keep revoked keys alive.
  const { freshMs = 900, maxEntries = 10_000, now = () => performance.now() } = options;
  const recordUse = createKeyUseRecorder(db);
  const questions = new Map<string, Question>();
  // Apart from each other, so that a flood of bad keys does not push out the good ones.
  const known = new BoundedMap<Answer>(maxEntries);
  const unknown = new BoundedMap<Answer>(maxEntries);

  function keep(id: string, askedAt: number, found: FoundPrincipal | undefined): void {
    const [side, otherSide] = found === undefined ? [unknown, known] : [known, unknown];
    // Counted from before the question, since the answer may be as old as that.
    const freshUntil = askedAt + Math.min(freshMs, found?.remainingMs ?? freshMs);
    side.set(id, { freshUntil, principal: found?.principal });
    otherSide.delete(id);
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

  function ask(id: string, hash: Buffer, fresh: boolean): Question {
    const open = questions.get(id);
    if (!fresh && open !== undefined && now() < open.askedAt + freshMs) return open;
    const question = { askedAt: now(), found: findPrincipal(db, hash) };
    questions.set(id, question);
    void settle(id, question);
    return question;
  }

  return {
    async authenticate(bearer, { fresh = false } = {}) {
      if (bearer.length === 0 || bearer.length > maxBearerLength) return undefined;
      const hash = hashSecret(bearer);
      const id = hash.toString('base64');
      const answer = known.get(id) ?? unknown.get(id);
      if (!fresh && answer !== undefined && now() < answer.freshUntil) return answer.principal;
      return (await ask(id, hash, fresh).found)?.principal;
    },
    forgetAll() {
      questions.clear();
      known.clear();
      unknown.clear();
    },
  };
}

// Cache of workloads. PostgreSQL is the source of truth. A result is fresh for 800 ms or until a notice about the
// workload, and is used for one more minute while PostgreSQL does not answer. A missing workload is never cached: the
// first call after its creation has to find it (sandbox sheet R-61), at any gateway and however late the notice
// arrives.
// Names that were never found are looked up in lanes, so that invented names do not delay known ones: one lane for
// callers with a valid key, and a smaller one for all other callers, where one query checks many names for existence.
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
import { answerInTime, BoundedMap } from '@berth/pace';
import type { Logger } from '@berth/telemetry';
import { lookupFault } from '../access/lookup-fault.ts';
import { queryNames } from './name-query.ts';
import type { Named, Workload } from './route.ts';
import { isPossible, queryWorkload } from './workload-query.ts';

export interface CatalogueOptions {
  readonly database: Database;
  /** Database for notices, which arrive on a separate connection. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Lanes for names that were never found, by type of caller. */
  readonly newNames?: NewNames;
  /** Monotonic clock in milliseconds: a wall clock that is set back would keep old results alive. */
  readonly now?: () => number;
}

/** `caller` has shown a valid key; `stranger` has not. */
type Asker = 'caller' | 'stranger';

interface NewNames {
  readonly caller: { readonly database: Database; readonly lane: LookupLane };
  readonly stranger: { readonly database: Database; readonly lane: BatchLaneOptions };
}

export interface Catalogue {
  /**
   * Undefined when there is no such workload. Throws PLATFORM_UNAVAILABLE when the database does not answer and nothing
   * is cached, and LOOKUPS_BUSY when the name was never found and its lane is full.
   */
  find(named: Named, asker?: Asker): Promise<Workload | undefined>;
  /** Resolves at the next notice about the workload, or after `mostMs`. */
  change(uid: string, mostMs: number): Promise<void>;
  /** Marks the cached result as stale, because it has proven wrong. */
  doubt(named: Named): void;
  /** Fresh cached result, synchronously; undefined when there is none, and then `find` has to ask. */
  remembered(named: Named): Workload | undefined;
  close(): Promise<void>;
}

interface Answer {
  readonly freshUntil: number;
  readonly knownUntil: number;
  /** Number of notices received when the query began. */
  readonly heard: number;
  readonly workload: Workload;
}

interface Question {
  readonly askedAt: number;
  readonly heard: number;
  readonly found: Promise<Workload | undefined>;
}

const freshMs = 800;
const staleMs = 60_000;
const maxEntries = 10_000;
/** Pause between queries for a known workload while PostgreSQL does not answer. */
const retryMs = 250;

const usualLane = { maxRunning: 2, maxWaiting: 1_000 };

const keyOf = (named: Named): string =>
  named.by === 'path'
    ? `path/${named.workspace}/${named.kind}/${named.name}`
    : `${named.by}/${named.region}/${named.label}`;

export function createCatalogue(options: CatalogueOptions): Catalogue {
  const { database, databaseUrl, logger, now = () => performance.now() } = options;
  const {
    newNames = {
      caller: { database, lane: createLookupLane(usualLane) },
      stranger: { database, lane: { maxWaiting: usualLane.maxWaiting } },
    },
  } = options;
  const { caller, stranger } = newNames;
  const nameLane = createBatchLane((names: readonly Named[]) => queryNames(stranger.database, names), stranger.lane);
  const workloadLane = createLookupLane({ maxRunning: 1, maxWaiting: stranger.lane.maxWaiting });
  const known = new BoundedMap<Answer>(maxEntries);
  // Holds at most one query per known name, plus as many as the lanes admit.
  const questions = new Map<string, Question>();
  const news = createNews();
  const listener = listen({
    url: databaseUrl,
    channel: routesChannel,
    onNotification: news.hear,
    onError: (err) => logger.warn({ err }, 'changed routes are not announced; they are found a moment later'),
  });

  /** A cached result or a running query is outdated when a notice about its workload arrived after it began. */
  const isOutdated = (key: string, heard: number): boolean => news.isSince(heard, known.get(key)?.workload?.uid);

  function keep(key: string, { askedAt, heard }: Question, workload: Workload | undefined): void {
    if (workload === undefined) return void known.delete(key);
    // Counted from the start of the query, since the result may be as old as that.
    const endsAt = askedAt + (workload.endsInMs ?? Number.POSITIVE_INFINITY);
    known.set(key, {
      freshUntil: Math.min(askedAt + freshMs, endsAt),
      knownUntil: Math.min(askedAt + freshMs + staleMs, endsAt),
      heard,
      workload,
    });
  }

  async function settle(key: string, question: Question): Promise<void> {
    const isNewest = () => questions.get(key) === question;
    try {
      const workload = await question.found;
      if (isNewest()) keep(key, question, workload);
    } catch (err) {
      logger.debug({ err }, 'a workload could not be looked up');
    } finally {
      if (isNewest()) questions.delete(key);
    }
  }

  function lookUp(key: string, named: Named, asker: Asker): Promise<Workload | undefined> {
    if (known.get(key) !== undefined) return queryWorkload(database, named);
    if (asker === 'stranger') {
      if (nameLane.isFull) throw laneFull;
      return lookUpForStranger(named);
    }
    if (caller.lane.isFull) throw laneFull;
    return caller.lane.ask(() => queryWorkload(caller.database, named));
  }

  async function lookUpForStranger(named: Named): Promise<Workload | undefined> {
    return (await nameLane.ask(named)) ? workloadLane.ask(() => queryWorkload(stranger.database, named)) : undefined;
  }

  function ask(key: string, named: Named, asker: Asker): Question {
    const open = questions.get(key);
    if (open !== undefined && now() < open.askedAt + freshMs && !isOutdated(key, open.heard)) return open;
    const found = answerInTime(lookUp(key, named, asker), { hasStandIn: standIn(key) !== undefined });
    const question = { askedAt: now(), heard: news.count(), found };
    questions.set(key, question);
    void settle(key, question);
    return question;
  }

  /**
   * A query that began before the workload was created does not see it. A negative result of a shared query is
   * therefore confirmed by a newer query.
   */
  async function certain(key: string, named: Named, asker: Asker): Promise<Workload | undefined> {
    const open = questions.get(key);
    const question = ask(key, named, asker);
    const workload = await question.found;
    return workload === undefined && question === open ? ask(key, named, asker).found : workload;
  }

  /** Cached result to use while the database does not answer. */
  function standIn(key: string): Answer | undefined {
    const answer = known.get(key);
    return answer !== undefined && now() < answer.knownUntil ? answer : undefined;
  }

  function useStandIn(key: string): Workload | undefined {
    const answer = standIn(key);
    if (answer === undefined) return undefined;
    const freshUntil = Math.min(now() + retryMs, answer.knownUntil);
    known.set(key, { ...answer, freshUntil, heard: news.count() });
    return answer.workload;
  }

  const isFresh = ({ freshUntil, heard, workload }: Answer): boolean =>
    now() < freshUntil && !news.isSince(heard, workload.uid);

  return {
    remembered(named) {
      const answer = known.get(keyOf(named));
      return answer !== undefined && isFresh(answer) ? answer.workload : undefined;
    },
    async find(named, asker = 'stranger') {
      const key = keyOf(named);
      const answer = known.get(key);
      if (answer !== undefined && isFresh(answer)) return answer.workload;
      if (!isPossible(named)) return undefined;
      try {
        return await certain(key, named, asker);
      } catch (error) {
        const workload = useStandIn(key);
        if (workload === undefined) throw lookupFault(error);
        return workload;
      }
    },
    change: news.next,
    doubt(named) {
      const key = keyOf(named);
      const answer = known.get(key);
      if (answer !== undefined) known.set(key, { ...answer, freshUntil: Number.NEGATIVE_INFINITY });
    },
    close: () => listener.close(),
  };
}

/** Numbers notices in order of arrival, to distinguish results from before and after a notice. */
function createNews() {
  const changed = new BoundedMap<number>(maxEntries);
  const waiting = new Map<string, Set<() => void>>();
  let count = 0;
  let everything = 0;
  return {
    hear(uid: string): void {
      count += 1;
      if (uid === '') everything = count;
      else changed.set(uid, count);
      const woken = uid === '' ? [...waiting.values()] : [waiting.get(uid) ?? []];
      for (const wake of woken.flatMap((each) => [...each])) wake();
    },
    next(uid: string, mostMs: number): Promise<void> {
      return new Promise((resolve) => {
        const own = waiting.get(uid) ?? new Set();
        waiting.set(uid, own);
        const wake = (): void => {
          clearTimeout(timer);
          own.delete(wake);
          if (own.size === 0 && waiting.get(uid) === own) waiting.delete(uid);
          resolve();
        };
        const timer = setTimeout(wake, mostMs);
        own.add(wake);
      });
    },
    count: () => count,
    /** For an unknown workload every notice counts: it may announce the creation of that workload. */
    isSince: (heard: number, uid: string | undefined): boolean =>
      uid === undefined ? count > heard : everything > heard || (changed.get(uid) ?? 0) > heard,
  };
}

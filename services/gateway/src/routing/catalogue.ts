// Workloads as the gateway knows them. PostgreSQL is the truth; what it said is believed for 800 ms, less when a notice says
// that something changed, and for a minute more while it does not answer. That there is no such workload is not believed at all:
// whoever has just made one finds it with the first call (sandbox sheet R-61), at any gateway and however late its notice comes.
// Names that were never found are looked up in lanes, so that invented ones do not delay those that are known: one lane for callers
// with a valid key, and a smaller one for everybody else, where one question asks which of many names mean anything.
import {
  answerInTime,
  type BatchLaneOptions,
  createBatchLane,
  createLookupLane,
  type Database,
  type LookupLane,
  laneFull,
  listen,
  routesChannel,
} from '@berth/database';
import { BoundedMap } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import { lookupFault } from '../access/lookup-fault.ts';
import { queryNames } from './name-query.ts';
import type { Named, Workload } from './route.ts';
import { isPossible, queryWorkload } from './workload-query.ts';

export interface CatalogueOptions {
  readonly database: Database;
  /** Where notices are heard, on a connection of their own. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Where names that were never found are looked up, by who asks. */
  readonly newNames?: NewNames;
  /** Monotonic, in milliseconds: a wall clock that is set back would keep old answers alive. */
  readonly now?: () => number;
}

/** A caller has shown a valid key. */
type Asker = 'caller' | 'stranger';

interface NewNames {
  readonly caller: { readonly database: Database; readonly lane: LookupLane };
  readonly stranger: { readonly database: Database; readonly lane: BatchLaneOptions };
}

export interface Catalogue {
  /**
   * Undefined when there is no such workload. Throws PLATFORM_UNAVAILABLE when nobody can tell, and LOOKUPS_BUSY when the name was
   * never found and too many such are being looked up.
   */
  find(named: Named, asker?: Asker): Promise<Workload | undefined>;
  /** Until something is heard of the workload, or the time has passed. */
  change(uid: string, mostMs: number): Promise<void>;
  /** What is remembered of it has proven wrong. */
  doubt(named: Named): void;
  /** What is remembered and still fresh, at once; undefined when nothing is, and then `find` tells. */
  remembered(named: Named): Workload | undefined;
  close(): Promise<void>;
}

interface Answer {
  readonly freshUntil: number;
  readonly knownUntil: number;
  /** How many notices had been heard when it was asked for. */
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
/** While it is away, how long a known workload is served before it is asked for again. */
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
  // At most one a known name, and as many as the lanes hold.
  const questions = new Map<string, Question>();
  const news = createNews();
  const listener = listen({
    url: databaseUrl,
    channel: routesChannel,
    onNotice: news.hear,
    onError: (err) => logger.warn({ err }, 'changed routes are not announced; they are found a moment later'),
  });

  /** An answer or an open question is as good as new when nothing about its workload was heard since. */
  const isOutdated = (key: string, heard: number): boolean => news.isSince(heard, known.get(key)?.workload?.uid);

  function keep(key: string, { askedAt, heard }: Question, workload: Workload | undefined): void {
    if (workload === undefined) return void known.delete(key);
    // Counted from before the question, since the answer may be as old as that.
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

  /** One that was asked before there was such a workload knows nothing of it: that it is missing is heard from a later one. */
  async function certain(key: string, named: Named, asker: Asker): Promise<Workload | undefined> {
    const open = questions.get(key);
    const question = ask(key, named, asker);
    const workload = await question.found;
    return workload === undefined && question === open ? ask(key, named, asker).found : workload;
  }

  /** What is said of a workload when the database says nothing. */
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

/** Numbers notices as they come, so that what was learnt before one can be told from what was learnt after it. */
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
    /** Of what is not known yet, any notice may speak: it may be its beginning. */
    isSince: (heard: number, uid: string | undefined): boolean =>
      uid === undefined ? count > heard : everything > heard || (changed.get(uid) ?? 0) > heard,
  };
}

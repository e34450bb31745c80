// Lookup lane for keys, hosts and tokens that were never found before, which any client can invent. One statement runs
// at a time and answers all waiting questions, and statements keep a minimum distance. So a flood costs the database
// and this process as many statements per second as a trickle.
import { laneFull } from './lookup-lane.ts';

export interface BatchLane<Question, Answer> {
  /** Checked before `ask`, so that nothing is prepared for a question that would be refused. */
  readonly isFull: boolean;
  /** Rejects with LaneFull when too many questions wait, or when this one has waited too long for its turn. */
  ask(question: Question): Promise<Answer>;
}

export interface BatchLaneOptions {
  readonly maxWaiting: number;
  /** Minimum time from the start of one statement to the start of the next. */
  readonly distanceMs?: number;
  /**
   * Questions that waited longer are refused when their turn comes, so that a slow lane empties instead of answering
   * all of them late.
   */
  readonly maxWaitMs?: number;
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly since: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** `askAll` answers in the order of the questions. */
export function createBatchLane<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { maxWaiting, distanceMs = 20, maxWaitMs = 1_000, now = () => performance.now() }: BatchLaneOptions,
): BatchLane<Question, Answer> {
  let waiting: Waiting<Question, Answer>[] = [];
  // True while a statement runs or the minimum distance to the last one has not passed.
  let isBusy = false;
  const isFull = (): boolean => waiting.length >= maxWaiting;

  async function run(): Promise<void> {
    const [since, turn] = [now(), waiting];
    waiting = [];
    for (const each of turn) if (since - each.since > maxWaitMs) each.reject(laneFull);
    const asked = turn.filter((each) => since - each.since <= maxWaitMs);
    try {
      const answers = asked.length === 0 ? [] : await askAll(asked.map(({ question }) => question));
      if (answers.length !== asked.length) throw new Error('A lookup has not answered every question.');
      for (const [at, answer] of answers.entries()) asked[at]?.resolve(answer);
    } catch (error) {
      for (const each of asked) each.reject(error);
    }
    setTimeout(next, Math.max(0, since + distanceMs - now()));
  }

  function next(): void {
    isBusy = waiting.length > 0;
    if (isBusy) void run();
  }

  return {
    get isFull() {
      return isFull();
    },
    ask(question) {
      if (isBusy && isFull()) return Promise.reject(laneFull);
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.push({ question, since: now(), resolve, reject });
      if (!isBusy) next();
      return promise;
    },
  };
}

// The lane of strangers: questions about keys, hosts and tokens that were never found, which anybody can invent. One statement is under
// way at a time and asks for all who wait, and statements keep a distance. So a flood of them costs the database and this process
// as many statements a second as a trickle does.
import { laneFull } from './lookup-lane.ts';

export interface BatchLane<Question, Answer> {
  /** Looked at first, so that nothing is prepared for a question that would be refused. */
  readonly isFull: boolean;
  /** Rejects with LaneFull when as many wait as may, or this one has waited too long for its turn. */
  ask(question: Question): Promise<Answer>;
}

export interface BatchLaneOptions {
  readonly maxWaiting: number;
  /** From the beginning of a statement to that of the next. */
  readonly distanceMs?: number;
  /** Who waited longer is refused when their turn comes, so that a slow lane empties instead of answering everybody late. */
  readonly maxWaitMs?: number;
  /** Monotonic, in milliseconds. */
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
  // Under way, or waiting for its distance to the last one.
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

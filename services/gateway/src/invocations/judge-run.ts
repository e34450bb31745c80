// What the result of a run means for its call. Pure.

/** Answer to a run, cut to the bytes that a callback tells. */
export interface RunAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Length of the whole body. */
  readonly bytes: number;
}

export type RunResult =
  /** The agent answered. */
  | { readonly kind: 'answered'; readonly answer: RunAnswer }
  /** The agent may have received the call and gave no whole answer. `answer` is what a synchronous caller would have got. */
  | { readonly kind: 'lost'; readonly answer: RunAnswer; readonly reason: string }
  /** The agent received nothing of it. */
  | { readonly kind: 'unsent'; readonly answer: RunAnswer; readonly reason: string; readonly isFinal: boolean }
  /** The process that performed it ended, so nobody knows what the agent did. */
  | { readonly kind: 'abandoned' };

export type Verdict =
  | { readonly kind: 'ended'; readonly status: 'succeeded' | 'failed' | 'unknown' }
  | { readonly kind: 'again'; readonly pauseMs: number };

export interface RunsSoFar {
  /** Runs that have begun, with this one. */
  readonly runs: number;
  readonly maxRuns: number;
  readonly ageMs: number;
}

/** How long an agent may be out of reach. */
const maxUnsentMs = 3_600_000;
const unsentPauseMs = 5_000;
const runPauseMs = { first: 1_000, most: 300_000 };

const isRepeatable = (status: number): boolean => status >= 500 || status === 408 || status === 429;

export function judgeRun(result: RunResult, { runs, maxRuns, ageMs }: RunsSoFar): Verdict {
  if (result.kind === 'unsent')
    return result.isFinal || ageMs >= maxUnsentMs
      ? { kind: 'ended', status: 'failed' }
      : { kind: 'again', pauseMs: unsentPauseMs };
  if (result.kind === 'answered' && !isRepeatable(result.answer.status))
    return { kind: 'ended', status: result.answer.status < 400 ? 'succeeded' : 'failed' };
  if (runs < maxRuns) return { kind: 'again', pauseMs: Math.min(runPauseMs.first * 4 ** (runs - 1), runPauseMs.most) };
  return { kind: 'ended', status: result.kind === 'abandoned' ? 'unknown' : 'failed' };
}

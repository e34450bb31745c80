// What is counted for a limit, and the counter that a process has for one window of it.
import type { ModelBudget, TokenPolicy } from './model-limits.ts';
import { addSums, noSums, type Sums } from './sums.ts';
import { type LimitWindow, type WindowLength, windowAt } from './window.ts';

export interface Counted {
  /** Policy or budget. */
  readonly subject: string;
  readonly measure: string;
  readonly length: WindowLength;
  /** Time for which rows stay after their window. */
  readonly keptMs: number;
}

const hourMs = 3_600_000;

/** A policy counts each model by itself. A window of another length is another measure: its sums are not comparable. */
export const tokensOf = (modelUid: string, { uid, step, granularity }: TokenPolicy): Counted => ({
  ...{ subject: uid, measure: `tokens of ${modelUid} in ${step} ${granularity}`, length: { step, granularity } },
  keptMs: hourMs,
});

/** Thresholds of a month are told for some days after its end. */
export const moneyOf = ({ id }: ModelBudget): Counted => ({
  ...{ subject: id, measure: 'money', length: { step: 1, granularity: 'month' } },
  keptMs: 7 * 24 * hourMs,
});

export interface Counter extends Counted {
  readonly window: LimitWindow;
  /** Names the row of this counter. Another counter of the same window has another row, so none replaces what one has written. */
  readonly runId: string;
  /** What this process counted. */
  own: Sums;
  /** Part of `own` that is known to be stored. */
  written: Sums;
  /** Sums of all other rows of the window. */
  others: Sums;
  /** When they were read: by the monotonic clock of the process, and by the clock of windows. */
  read: { readonly atMs: number; readonly clockMs: number } | undefined;
  /** Last request, by the monotonic clock. */
  usedAtMs: number;
}

/**
 * Continues after the counter of an earlier window. What was read before a window began is known of this one too: there were no
 * tokens in it.
 */
export function beginCounter(
  counted: Counted,
  nowMs: number,
  { runId, previous }: { readonly runId: string; readonly previous: Counter | undefined },
): Counter {
  const window = windowAt(nowMs, counted.length);
  const read = previous?.read;
  return {
    ...counted,
    ...{ window, runId, own: noSums, written: noSums, others: noSums, usedAtMs: 0 },
    read: read !== undefined && read.clockMs < window.startMs ? read : undefined,
  };
}

export const isChanged = ({ own, written }: Counter): boolean => own !== written;

/** What is known to be used of the window. */
export const totalOf = ({ own, others }: Pick<Counter, 'own' | 'others'>): Sums => addSums(own, others);

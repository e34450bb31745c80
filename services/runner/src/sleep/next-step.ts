// The next step for one sandbox. Pure: the controller carries the step out, records the result and calls this again.
import { isInUse, type SleepState } from './sleep-state.ts';

export interface SleepRules {
  readonly idleMs: number;
  readonly expiresIdleMs: number | undefined;
}

export type SleepStep =
  | { readonly do: 'thaw' }
  | { readonly do: 'freeze' }
  /** Check whether the sandbox is frozen. */
  | { readonly do: 'look' }
  /** Ask the guest whether something inside wants to be kept alive. */
  | { readonly do: 'ask' }
  | { readonly do: 'report' }
  /** Wait for the next event, or until `untilMs`. */
  | { readonly do: 'rest'; readonly untilMs: number };

/** A guest that leaves this many questions unanswered is frozen anyway, because no connection uses it. */
export const maxSilences = 3;
/** Maximum age of the reported last use while the sandbox is in use. */
export const reportEveryMs = 60_000;

export function nextStep(state: SleepState, rules: SleepRules, nowMs: number): SleepStep {
  const { frozen, isReleased, openers, retryAtMs } = state;
  if (frozen !== 'no' && (isReleased || openers > 0))
    return nowMs < retryAtMs ? { do: 'rest', untilMs: retryAtMs } : { do: 'thaw' };
  if (frozen === 'unsure') return nowMs < retryAtMs ? { do: 'rest', untilMs: retryAtMs } : { do: 'look' };
  const reportAtMs = nextReportMs(state, rules);
  if (nowMs >= reportAtMs) return { do: 'report' };
  if (frozen === 'yes' || isInUse(state)) return { do: 'rest', untilMs: reportAtMs };
  const step = towardsSleep(state, rules, nowMs);
  return step.do === 'rest' ? { do: 'rest', untilMs: Math.min(step.untilMs, reportAtMs) } : step;
}

/** Next step for an awake sandbox that is not in use. */
function towardsSleep(state: SleepState, rules: SleepRules, nowMs: number): SleepStep {
  const { isSleepAsked, ignoresIdleTime, usedAtMs, heldAtMs, askAtMs, mayFreeze, silences, retryAtMs } = state;
  if (nowMs < retryAtMs) return { do: 'rest', untilMs: retryAtMs };
  const idleMs = ignoresIdleTime ? 0 : rules.idleMs;
  if (isSleepAsked) return { do: 'freeze' };
  const mayAskAtMs = Math.max(usedAtMs + idleMs, askAtMs);
  if (nowMs < mayAskAtMs) return { do: 'rest', untilMs: mayAskAtMs };
  if (silences >= maxSilences) return { do: 'freeze' };
  if (!mayFreeze) return { do: 'ask' };
  // Idle time begins when the last keep-alive hold ended, as after a connection. An earlier consent is then too old.
  const freeAtMs = heldAtMs + idleMs;
  if (askAtMs >= freeAtMs) return { do: 'freeze' };
  return nowMs < freeAtMs ? { do: 'rest', untilMs: freeAtMs } : { do: 'ask' };
}

/** Time since the last use. */
export const unusedMs = ({ leases, usedAtMs }: SleepState, nowMs: number): number =>
  leases > 0 ? 0 : Math.max(0, nowMs - usedAtMs);

export const isExpired = (state: SleepState, { expiresIdleMs }: SleepRules, nowMs: number): boolean =>
  expiresIdleMs !== undefined && state.leases === 0 && nowMs >= state.usedAtMs + expiresIdleMs;

function nextReportMs(state: SleepState, { expiresIdleMs }: SleepRules): number {
  const { frozen, leases, usedAtMs, reported } = state;
  if (reported === undefined || reported.isAwake !== (frozen === 'no')) return Number.NEGATIVE_INFINITY;
  const isUsedSince = leases > 0 || usedAtMs > reported.atMs;
  const isReportedExpired = reported.isExpired && !isUsedSince;
  const expiresAtMs =
    expiresIdleMs === undefined || leases > 0 || isReportedExpired
      ? Number.POSITIVE_INFINITY
      : usedAtMs + expiresIdleMs;
  // An unused sandbox has nothing new to report.
  return Math.min(expiresAtMs, isUsedSince ? reported.atMs + reportEveryMs : Number.POSITIVE_INFINITY);
}

// The next step for one sandbox. Pure: a keeper carries the step out, records the result and calls this again.
import { isInUse, type Standing } from './standing.ts';

export interface SleepRules {
  readonly idleMs: number;
  readonly expiresIdleMs: number | undefined;
}

export type Step =
  | { readonly do: 'thaw' }
  | { readonly do: 'freeze' }
  /** Check whether the sandbox is frozen. */
  | { readonly do: 'look' }
  /** Ask the guest whether something inside wants to be kept alive. */
  | { readonly do: 'ask' }
  | { readonly do: 'tell' }
  /** Wait for the next event, or until `untilMs`. */
  | { readonly do: 'rest'; readonly untilMs: number };

/** A guest that leaves this many questions unanswered is frozen anyway, because no connection uses it. */
export const mostSilences = 3;
/** Maximum age of the reported last use while the sandbox is in use. */
export const tellEveryMs = 60_000;

export function nextStep(standing: Standing, rules: SleepRules, nowMs: number): Step {
  const { frozen, isReleased, openers, retryAtMs } = standing;
  if (frozen !== 'no' && (isReleased || openers > 0))
    return nowMs < retryAtMs ? { do: 'rest', untilMs: retryAtMs } : { do: 'thaw' };
  if (frozen === 'unsure') return nowMs < retryAtMs ? { do: 'rest', untilMs: retryAtMs } : { do: 'look' };
  const tellAtMs = nextTelling(standing, rules);
  if (nowMs >= tellAtMs) return { do: 'tell' };
  if (frozen === 'yes' || isInUse(standing)) return { do: 'rest', untilMs: tellAtMs };
  const step = towardsSleep(standing, rules, nowMs);
  return step.do === 'rest' ? { do: 'rest', untilMs: Math.min(step.untilMs, tellAtMs) } : step;
}

/** Next step for an awake sandbox that is not in use. */
function towardsSleep(standing: Standing, rules: SleepRules, nowMs: number): Step {
  const { isSleepAsked, isHurried, usedAtMs, heldAtMs, askAtMs, mayFreeze, silences, retryAtMs } = standing;
  if (nowMs < retryAtMs) return { do: 'rest', untilMs: retryAtMs };
  const idleMs = isHurried ? 0 : rules.idleMs;
  if (isSleepAsked) return { do: 'freeze' };
  const mayAskAtMs = Math.max(usedAtMs + idleMs, askAtMs);
  if (nowMs < mayAskAtMs) return { do: 'rest', untilMs: mayAskAtMs };
  if (silences >= mostSilences) return { do: 'freeze' };
  if (!mayFreeze) return { do: 'ask' };
  // Idle time begins when the last keep-alive hold ended, as after a connection. An earlier consent is then too old.
  const freeAtMs = heldAtMs + idleMs;
  if (askAtMs >= freeAtMs) return { do: 'freeze' };
  return nowMs < freeAtMs ? { do: 'rest', untilMs: freeAtMs } : { do: 'ask' };
}

/** Time since the last use. */
export const unusedMs = ({ leases, usedAtMs }: Standing, nowMs: number): number =>
  leases > 0 ? 0 : Math.max(0, nowMs - usedAtMs);

export const isExpired = (standing: Standing, { expiresIdleMs }: SleepRules, nowMs: number): boolean =>
  expiresIdleMs !== undefined && standing.leases === 0 && nowMs >= standing.usedAtMs + expiresIdleMs;

function nextTelling(standing: Standing, { expiresIdleMs }: SleepRules): number {
  const { frozen, leases, usedAtMs, told } = standing;
  if (told === undefined || told.isAwake !== (frozen === 'no')) return Number.NEGATIVE_INFINITY;
  const isUsedSince = leases > 0 || usedAtMs > told.atMs;
  const isToldExpired = told.isExpired && !isUsedSince;
  const expiresAtMs =
    expiresIdleMs === undefined || leases > 0 || isToldExpired ? Number.POSITIVE_INFINITY : usedAtMs + expiresIdleMs;
  // An unused sandbox has nothing new to report.
  return Math.min(expiresAtMs, isUsedSince ? told.atMs + tellEveryMs : Number.POSITIVE_INFINITY);
}

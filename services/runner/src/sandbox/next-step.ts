// What to do next about one sandbox. No effects: a keeper carries the step out, says what happened and asks again.
import { isInUse, type Standing } from './standing.ts';

export interface SleepRules {
  readonly idleMs: number;
  readonly expiresIdleMs: number | undefined;
}

export type Step =
  | { readonly do: 'thaw' }
  | { readonly do: 'freeze' }
  /** Whether it is frozen. */
  | { readonly do: 'look' }
  /** The guest, whether something inside wants to be kept alive. */
  | { readonly do: 'ask' }
  | { readonly do: 'tell' }
  /** Until something happens, or until then. */
  | { readonly do: 'rest'; readonly untilMs: number };

/** A guest that does not answer so often is put to sleep all the same: nobody speaks to it. */
export const mostSilences = 3;
/** How old what others know of the last use may be while it is used. */
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

/** Of one that is awake, and nobody uses it. */
function towardsSleep(standing: Standing, rules: SleepRules, nowMs: number): Step {
  const { isSleepAsked, isHurried, usedAtMs, heldAtMs, askAtMs, mayFreeze, silences, retryAtMs } = standing;
  if (nowMs < retryAtMs) return { do: 'rest', untilMs: retryAtMs };
  const idleMs = isHurried ? 0 : rules.idleMs;
  if (isSleepAsked) return { do: 'freeze' };
  const mayAskAtMs = Math.max(usedAtMs + idleMs, askAtMs);
  if (nowMs < mayAskAtMs) return { do: 'rest', untilMs: mayAskAtMs };
  if (silences >= mostSilences) return { do: 'freeze' };
  if (!mayFreeze) return { do: 'ask' };
  // What was kept alive has ended: idle since then, as after a connection. A word given before is too old afterwards.
  const freeAtMs = heldAtMs + idleMs;
  if (askAtMs >= freeAtMs) return { do: 'freeze' };
  return nowMs < freeAtMs ? { do: 'rest', untilMs: freeAtMs } : { do: 'ask' };
}

/** For how long nobody has used it. */
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
  // Nothing is new of one that nobody has used since.
  return Math.min(expiresAtMs, isUsedSince ? told.atMs + tellEveryMs : Number.POSITIVE_INFINITY);
}

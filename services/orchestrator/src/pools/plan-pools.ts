// What a runner keeps ready: what to start, what to let go. Pure. Never more than wanted, those on their way included; where
// they fail, one at a time is tried after pauses that grow.
import type { PoolTarget } from './targets.ts';

export interface WaitingInstance {
  readonly id: string;
  readonly pool: string;
  readonly state: string;
  readonly createdAt: number;
  readonly readyAt?: number | undefined;
  readonly failedAt?: number | undefined;
}

export interface ObservedPools {
  readonly now: number;
  /** Short of memory or disk: nothing is added. */
  readonly isPressed: boolean;
  readonly targets: readonly PoolTarget[];
  /** Those that should run. */
  readonly waiting: readonly WaitingInstance[];
}

export interface PoolPlan {
  readonly start: readonly { readonly target: PoolTarget; readonly count: number }[];
  readonly retire: readonly string[];
  /** When there may be more to do although nobody says so. */
  readonly lookAgainAt: number | undefined;
}

const firstPauseMs = 5_000;
const longestPauseMs = 300_000;
/** So many failed ones are kept to remember by; more would make no pause longer. */
const remembered = 7;
const soonMs = 5_000;

export function planPools({ now, isPressed, targets, waiting }: ObservedPools): PoolPlan {
  const wanted = new Set(targets.map(({ pool }) => pool));
  const unwanted = waiting.filter(({ pool }) => !wanted.has(pool)).map(({ id }) => id);
  const plans = targets.map((target) =>
    planPool(
      target,
      waiting.filter(({ pool }) => pool === target.pool),
      now,
    ),
  );
  const looks = plans.flatMap(({ lookAgainAt }) => lookAgainAt ?? []);
  const missing = plans.some(({ count }) => count > 0);
  if (isPressed && missing) looks.push(now + soonMs);
  return {
    start: isPressed ? [] : plans.flatMap(({ target, count }) => (count > 0 ? [{ target, count }] : [])),
    retire: [...unwanted, ...plans.flatMap(({ retire }) => retire)],
    lookAgainAt: looks.length === 0 ? undefined : Math.min(...looks),
  };
}

interface OnePlan {
  readonly target: PoolTarget;
  readonly count: number;
  readonly retire: readonly string[];
  readonly lookAgainAt?: number | undefined;
}

function planPool(target: PoolTarget, own: readonly WaitingInstance[], now: number): OnePlan {
  const working = own.filter(({ state }) => state !== 'failed').toSorted(readyThenOldest);
  const failed = own.filter(({ state }) => state === 'failed').toSorted((a, b) => failureOf(b) - failureOf(a));
  const surplus = working.slice(target.count).map(({ id }) => id);
  const missing = Math.max(0, target.count - working.length);
  const lastFailure = Math.max(0, ...failed.map(failureOf));
  const isMended = working.some(({ readyAt }) => (readyAt ?? 0) > lastFailure);
  const forgotten = (isMended ? failed : failed.slice(remembered)).map(({ id }) => id);
  const retire = [...surplus, ...forgotten];
  if (failed.length === 0 || isMended || missing === 0) return { target, count: missing, retire };
  const pauseUntil = lastFailure + Math.min(longestPauseMs, firstPauseMs * 2 ** (failed.length - 1));
  if (pauseUntil > now) return { target, count: 0, retire, lookAgainAt: pauseUntil };
  // One is tried; what becomes of it decides about the others.
  const isTrying = working.some(({ readyAt }) => readyAt === undefined);
  return { target, count: isTrying ? 0 : 1, retire, lookAgainAt: now + soonMs };
}

const failureOf = ({ failedAt, createdAt }: WaitingInstance): number => failedAt ?? createdAt;

/** Those at the end go first when there are too many. */
const readyThenOldest = (left: WaitingInstance, right: WaitingInstance): number =>
  Number(right.readyAt !== undefined) - Number(left.readyAt !== undefined) || left.createdAt - right.createdAt;

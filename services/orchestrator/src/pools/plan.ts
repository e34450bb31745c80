// Plans the warm pools of a runner: instances to start and to retire. Pure. Never more than wanted, counting those that
// still start; after failures one at a time is tried, with growing pauses.
import { pauseAfterFailuresMs } from '../run/pause-after-failures.ts';
import type { PoolTarget } from './targets.ts';

export interface WarmInstance {
  readonly id: string;
  readonly pool: string;
  readonly state: string;
  readonly createdAt: number;
  readonly readyAt?: number | undefined;
  readonly failedAt?: number | undefined;
}

export interface ObservedPools {
  readonly now: number;
  /** The runner is short of memory or disk: nothing is started. */
  readonly isPressed: boolean;
  readonly targets: readonly PoolTarget[];
  /** Warm instances that should run. */
  readonly warm: readonly WarmInstance[];
}

export interface PoolPlan {
  readonly start: readonly { readonly target: PoolTarget; readonly count: number }[];
  readonly retire: readonly string[];
  /** Time of the next run if no message causes one earlier. */
  readonly dueAt: number | undefined;
}

/** Number of failed instances kept, from which the pause is computed; more would not lengthen the pause. */
const keptFailures = 7;
const retryMs = 5_000;

export function planPools({ now, isPressed, targets, warm }: ObservedPools): PoolPlan {
  const wanted = new Set(targets.map(({ pool }) => pool));
  const unwanted = warm.filter(({ pool }) => !wanted.has(pool)).map(({ id }) => id);
  const plans = targets.map((target) =>
    planPool(
      target,
      warm.filter(({ pool }) => pool === target.pool),
      now,
    ),
  );
  const looks = plans.flatMap(({ dueAt }) => dueAt ?? []);
  const missing = plans.some(({ count }) => count > 0);
  if (isPressed && missing) looks.push(now + retryMs);
  return {
    start: isPressed ? [] : plans.flatMap(({ target, count }) => (count > 0 ? [{ target, count }] : [])),
    retire: [...unwanted, ...plans.flatMap(({ retire }) => retire)],
    dueAt: looks.length === 0 ? undefined : Math.min(...looks),
  };
}

interface OnePoolPlan {
  readonly target: PoolTarget;
  readonly count: number;
  readonly retire: readonly string[];
  readonly dueAt?: number | undefined;
}

function planPool(target: PoolTarget, own: readonly WarmInstance[], now: number): OnePoolPlan {
  const working = own.filter(({ state }) => state !== 'failed').toSorted(readyThenOldest);
  const failed = own.filter(({ state }) => state === 'failed').toSorted((a, b) => failedAtOf(b) - failedAtOf(a));
  const surplus = working.slice(target.count).map(({ id }) => id);
  const missing = Math.max(0, target.count - working.length);
  const lastFailure = Math.max(0, ...failed.map(failedAtOf));
  const hasRecovered = working.some(({ readyAt }) => (readyAt ?? 0) > lastFailure);
  const oldFailures = (hasRecovered ? failed : failed.slice(keptFailures)).map(({ id }) => id);
  const retire = [...surplus, ...oldFailures];
  if (failed.length === 0 || hasRecovered || missing === 0) return { target, count: missing, retire };
  const pauseUntil = lastFailure + pauseAfterFailuresMs(failed.length);
  if (pauseUntil > now) return { target, count: 0, retire, dueAt: pauseUntil };
  // Start one instance; its outcome decides about the others.
  const isTrying = working.some(({ readyAt }) => readyAt === undefined);
  return { target, count: isTrying ? 0 : 1, retire, dueAt: now + retryMs };
}

const failedAtOf = ({ failedAt, createdAt }: WarmInstance): number => failedAt ?? createdAt;

/** Surplus instances are retired from the end. */
const readyThenOldest = (left: WarmInstance, right: WarmInstance): number =>
  Number(right.readyAt !== undefined) - Number(left.readyAt !== undefined) || left.createdAt - right.createdAt;

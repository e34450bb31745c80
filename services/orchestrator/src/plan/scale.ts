// From how many instances each revision should have to those that go and those that come.
import { isReady, isWorking, newestFirst } from './instances.ts';
import type { Verdict } from './judge.ts';
import type { Action, Observed, ObservedInstance } from './observed.ts';
import type { Roles } from './roles.ts';

/**
 * Blue-green: the old revision keeps its instances until the new one is ready, and for good when the new one failed.
 * Revisions that are not named have none.
 */
export function wantedCounts(verdicts: readonly Verdict[], roles: Roles, isUp: boolean): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  for (const { revision, status, isReady } of verdicts) {
    const { id, count } = revision;
    const takesTraffic = id === roles.target || id === roles.canary || (id === roles.serving && !isUp);
    if (takesTraffic) wanted.set(id, status === 'FAILED' && !isReady ? 0 : count);
    else if (id === roles.newest && status === 'DEPLOYING') wanted.set(id, 1);
  }
  return wanted;
}

export function scale(
  observed: Observed,
  verdicts: readonly Verdict[],
  wanted: ReadonlyMap<string, number>,
): readonly Action[] {
  const working = observed.instances.filter(isWorking);
  const kept = new Set(
    [...wanted].flatMap(([id, count]) =>
      working
        .filter(({ revision }) => revision === id)
        .toSorted(mostUseful)
        .slice(0, count),
    ),
  );
  const leaving = observed.instances.filter(
    (instance) => instance.endedAt === undefined && instance.desired === 'running' && !kept.has(instance),
  );
  const missing = verdicts.flatMap((verdict) => {
    const { id } = verdict.revision;
    const present = [...kept].filter(({ revision }) => revision === id).length;
    return startMissing(observed.now, verdict, (wanted.get(id) ?? 0) - present);
  });
  return [
    ...missing,
    ...(leaving.length === 0 ? [] : [{ do: 'retire' as const, instances: leaving.map(({ id }) => id) }]),
  ];
}

/** A revision that failed keeps what is still ready, and gets nothing new. */
function startMissing(now: number, { revision, status, setbacks }: Verdict, count: number): readonly Action[] {
  if (count <= 0 || status === 'FAILED') return [];
  const { pauseUntil } = setbacks;
  if (pauseUntil !== undefined && pauseUntil > now) return [{ do: 'look-again', at: pauseUntil }];
  return [{ do: 'start', revision: revision.id, count }];
}

const mostUseful = (left: ObservedInstance, right: ObservedInstance): number =>
  Number(isReady(right)) - Number(isReady(left)) || -newestFirst(left, right);

// Turns the wanted number of instances of each revision into instances to start and to retire.
import { isReady, isWorking, newestFirst } from './instances.ts';
import type { Verdict } from './judge-revision.ts';
import type { Action, Observed, ObservedInstance } from './observed.ts';
import type { Want } from './wanted-counts.ts';

export function scale(
  observed: Observed,
  verdicts: readonly Verdict[],
  wanted: ReadonlyMap<string, Want>,
): readonly Action[] {
  const working = observed.instances.filter(isWorking);
  const young = working.filter(
    (instance) => wanted.get(instance.revision)?.keepsYoung === true && idleFrom(observed, instance) > observed.now,
  );
  const needed = [...wanted].flatMap(([id, { count }]) =>
    working
      .filter(({ revision }) => revision === id)
      .toSorted(mostUseful)
      .slice(0, count),
  );
  const kept = new Set([...needed, ...young]);
  const leaving = observed.instances.filter(
    (instance) => instance.endedAt === undefined && instance.desired === 'running' && !kept.has(instance),
  );
  const missing = verdicts.flatMap((verdict) => {
    const { id } = verdict.revision;
    const present = [...kept].filter(({ revision }) => revision === id).length;
    return startMissing(observed.now, verdict, (wanted.get(id)?.count ?? 0) - present);
  });
  return [...missing, ...retire(leaving), ...lookAgain(observed, verdicts, [...kept], needed)];
}

const retire = (leaving: readonly ObservedInstance[]): readonly Action[] =>
  leaving.length === 0 ? [] : [{ do: 'retire', instances: leaving.map(({ id }) => id), desired: 'leaving' }];

/** The next time at which a kept instance becomes idle or the demand expires. */
function lookAgain(
  observed: Observed,
  verdicts: readonly Verdict[],
  kept: readonly ObservedInstance[],
  needed: readonly ObservedInstance[],
): readonly Action[] {
  const { until } = observed.demand;
  const isMoreThanLeast = verdicts.some(
    ({ revision: { id, least } }) => kept.filter(({ revision }) => revision === id).length > least,
  );
  const due = [
    ...kept.filter((instance) => !needed.includes(instance)).map((instance) => idleFrom(observed, instance)),
    ...(until === undefined || !isMoreThanLeast ? [] : [until]),
  ];
  return due.length === 0 ? [] : [{ do: 'look-again', at: Math.min(...due) }];
}

/** Time from which the instance may count as idle. */
const idleFrom = ({ scaling }: Observed, { readyAt, createdAt }: ObservedInstance): number =>
  (readyAt ?? createdAt) + scaling.idleMs;

/** A failed revision keeps its ready instances and gets no new ones. */
function startMissing(now: number, { revision, status, setbacks }: Verdict, count: number): readonly Action[] {
  if (count <= 0 || status === 'FAILED') return [];
  const { pauseUntil } = setbacks;
  if (pauseUntil !== undefined && pauseUntil > now) return [{ do: 'look-again', at: pauseUntil }];
  return [{ do: 'start', revision: revision.id, count }];
}

const mostUseful = (left: ObservedInstance, right: ObservedInstance): number =>
  Number(isReady(right)) - Number(isReady(left)) || -newestFirst(left, right);

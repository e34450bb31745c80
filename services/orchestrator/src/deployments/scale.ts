// Turns the wanted number of instances of each revision into instances to start and to retire.
import { isReady, isWorking, newestFirst } from './instances.ts';
import type { RevisionVerdict } from './judge-revision.ts';
import type { DeploymentAction, ObservedDeployment, ObservedInstance } from './observed.ts';
import type { WantedCount } from './wanted-counts.ts';

export function scale(
  observed: ObservedDeployment,
  verdicts: readonly RevisionVerdict[],
  wanted: ReadonlyMap<string, WantedCount>,
): readonly DeploymentAction[] {
  const working = observed.instances.filter(isWorking);
  const recent = working.filter(
    (instance) => wanted.get(instance.revision)?.keepsRecent === true && idleFrom(observed, instance) > observed.now,
  );
  const needed = [...wanted].flatMap(([id, { count }]) =>
    working
      .filter(({ revision }) => revision === id)
      .toSorted(byUsefulness)
      .slice(0, count),
  );
  const kept = new Set([...needed, ...recent]);
  const leaving = observed.instances.filter(
    (instance) => instance.endedAt === undefined && instance.desired === 'running' && !kept.has(instance),
  );
  const missing = verdicts.flatMap((verdict) => {
    const { id } = verdict.revision;
    const present = [...kept].filter(({ revision }) => revision === id).length;
    return startMissing(observed.now, verdict, (wanted.get(id)?.count ?? 0) - present);
  });
  return [...missing, ...retire(leaving), ...timers(observed, verdicts, [...kept], needed)];
}

const retire = (leaving: readonly ObservedInstance[]): readonly DeploymentAction[] =>
  leaving.length === 0 ? [] : [{ do: 'retire', instances: leaving.map(({ id }) => id), desired: 'leaving' }];

/** The next time at which a kept instance becomes idle or the demand expires. */
function timers(
  observed: ObservedDeployment,
  verdicts: readonly RevisionVerdict[],
  kept: readonly ObservedInstance[],
  needed: readonly ObservedInstance[],
): readonly DeploymentAction[] {
  const { until } = observed.demand;
  const isMoreThanLeast = verdicts.some(
    ({ revision: { id, minInstances } }) => kept.filter(({ revision }) => revision === id).length > minInstances,
  );
  const due = [
    ...kept.filter((instance) => !needed.includes(instance)).map((instance) => idleFrom(observed, instance)),
    ...(until === undefined || !isMoreThanLeast ? [] : [until]),
  ];
  return due.length === 0 ? [] : [{ do: 'set-timer', at: Math.min(...due) }];
}

/** Time from which the instance may count as idle. */
const idleFrom = ({ scaling }: ObservedDeployment, { readyAt, createdAt }: ObservedInstance): number =>
  (readyAt ?? createdAt) + scaling.idleMs;

/** A failed revision keeps its ready instances and gets no new ones. */
function startMissing(
  now: number,
  { revision, status, failures }: RevisionVerdict,
  count: number,
): readonly DeploymentAction[] {
  if (count <= 0 || status === 'FAILED') return [];
  const { pauseUntil } = failures;
  if (pauseUntil !== undefined && pauseUntil > now) return [{ do: 'set-timer', at: pauseUntil }];
  return [{ do: 'start', revision: revision.id, count }];
}

const byUsefulness = (left: ObservedInstance, right: ObservedInstance): number =>
  Number(isReady(right)) - Number(isReady(left)) || -newestFirst(left, right);

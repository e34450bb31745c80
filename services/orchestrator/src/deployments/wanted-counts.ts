// Computes the wanted number of instances of each revision from its minimum and the demand.
import type { RevisionVerdict } from './judge-revision.ts';
import type { ObservedDeployment, ObservedRevision } from './observed.ts';
import type { RevisionRoles } from './revision-roles.ts';

export interface WantedCount {
  readonly count: number;
  /** Keeps instances that came up a moment ago even without demand: the user who deployed is about to send requests. */
  readonly keepsRecent: boolean;
}

/**
 * Blue-green: the old revision keeps its instances until the new one is ready, and permanently when the new one failed.
 * Revisions that are missing from the map get none.
 */
export function wantedCounts(
  observed: ObservedDeployment,
  verdicts: readonly RevisionVerdict[],
  roles: RevisionRoles,
  isTargetReady: boolean,
): ReadonlyMap<string, WantedCount> {
  const wanted = new Map<string, WantedCount>();
  for (const { revision, status, isReady } of verdicts) {
    const { id } = revision;
    const takesTraffic = id === roles.target || id === roles.canary || (id === roles.serving && !isTargetReady);
    if (takesTraffic && status === 'FAILED' && !isReady) wanted.set(id, { count: 0, keepsRecent: false });
    else if (takesTraffic) wanted.set(id, { count: countFor(observed, roles, revision, status), keepsRecent: true });
    else if (id === roles.newest && status === 'DEPLOYING') wanted.set(id, { count: 1, keepsRecent: false });
  }
  return wanted;
}

/**
 * A DEPLOYING revision gets one instance to prove itself. While there is demand, every revision with traffic has one.
 */
function countFor(
  { demand, scaling, canaryPercent }: ObservedDeployment,
  { canary, target }: RevisionRoles,
  { id, minInstances, maxInstances }: ObservedRevision,
  status: string,
): number {
  const canaryShare = canary === undefined || canary === target ? 0 : canaryPercent / 100;
  const share = id === canary && canary !== target ? canaryShare : 1 - canaryShare;
  const asked =
    demand.requests === 0 ? 0 : Math.max(1, Math.ceil((demand.requests * share) / scaling.requestsPerInstance));
  const proving = status === 'DEPLOYING' ? 1 : 0;
  return Math.min(Math.max(minInstances, asked, proving), maxInstances);
}

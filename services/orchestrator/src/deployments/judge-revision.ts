// Derives the status of a revision from its instances.

import { type FailureStreak, failureStreakOf, maxNeverReady } from './failure-streak.ts';
import { isReady } from './instances.ts';
import type { ObservedInstance, ObservedRevision } from './observed.ts';

export interface RevisionVerdict {
  readonly revision: ObservedRevision;
  readonly status: string;
  /** Set when the revision fails in this run. */
  readonly failure?: { readonly message: string; readonly type: 'deployment' | 'infrastructure' } | undefined;
  readonly isReady: boolean;
  readonly failures: FailureStreak;
}

/** One ready instance proves a revision, even if another instance has failed. */
export function judgeRevision(
  revision: ObservedRevision,
  instances: readonly ObservedInstance[],
  attemptAt: number,
): RevisionVerdict {
  const own = instances.filter((instance) => instance.revision === revision.id);
  const failures = failureStreakOf(own, attemptAt);
  const verdict = { revision, failures, isReady: own.some(isReady) };
  const failed = (message: string, type: 'deployment' | 'infrastructure'): RevisionVerdict => ({
    ...verdict,
    status: 'FAILED',
    failure: { message, type },
  });
  if (revision.status === 'DEPLOYING') {
    if (verdict.isReady) return { ...verdict, status: 'DEPLOYED' };
    if (revision.fault !== undefined) return failed(revision.fault, 'deployment');
    const gaveUp = own.find(({ state, desired }) => state === 'failed' && desired === 'running');
    if (gaveUp !== undefined) return failed(gaveUp.message ?? `Revision ${revision.id} did not start.`, 'deployment');
  }
  if (revision.status === 'DEPLOYED' && failures.neverReady >= maxNeverReady) {
    return failed(`Revision ${revision.id} does not come up again: ${failures.reason}`, 'infrastructure');
  }
  return { ...verdict, status: revision.status };
}

// Derives the status of a revision from its instances.

import { mostSetbacks, type Setbacks, setbacksOf } from './failure-streak.ts';
import { isReady } from './instances.ts';
import type { ObservedInstance, ObservedRevision } from './observed.ts';

export interface Verdict {
  readonly revision: ObservedRevision;
  readonly status: string;
  /** Set when the revision fails in this run. */
  readonly failure?: { readonly message: string; readonly type: 'deployment' | 'infrastructure' } | undefined;
  readonly isReady: boolean;
  readonly setbacks: Setbacks;
}

/** One ready instance proves a revision, even if another instance has failed. */
export function judge(revision: ObservedRevision, instances: readonly ObservedInstance[], attemptAt: number): Verdict {
  const own = instances.filter((instance) => instance.revision === revision.id);
  const setbacks = setbacksOf(own, attemptAt);
  const verdict = { revision, setbacks, isReady: own.some(isReady) };
  const failed = (message: string, type: 'deployment' | 'infrastructure'): Verdict => ({
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
  if (revision.status === 'DEPLOYED' && setbacks.neverReady >= mostSetbacks) {
    return failed(`Revision ${revision.id} does not come up again: ${setbacks.reason}`, 'infrastructure');
  }
  return { ...verdict, status: revision.status };
}

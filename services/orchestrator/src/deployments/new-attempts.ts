// Finds revisions that must prove again that they come up: revisions that were off, revisions that failed under an
// older spec, and a target that is to take over without a ready instance.
import { isReady } from './instances.ts';
import type { Observed, ObservedRevision } from './observed.ts';
import type { Roles } from './revision-roles.ts';

export interface Begun {
  readonly revisions: readonly ObservedRevision[];
  readonly isAnew: boolean;
}

export function beginAttempts(observed: Observed, roles: Roles): Begun {
  const mustProve = (revision: ObservedRevision): boolean => beginsAnew(observed, roles, revision);
  return {
    revisions: observed.revisions.map((revision) =>
      mustProve(revision) ? { ...revision, status: 'DEPLOYING' } : revision,
    ),
    isAnew: observed.revisions.some(mustProve),
  };
}

function beginsAnew(observed: Observed, { target, serving, canary }: Roles, { id, status }: ObservedRevision): boolean {
  if (id !== target && id !== serving && id !== canary) return false;
  // The api announced a new deployment, or that the resource was enabled again, with this spec.
  const isAnnounced = observed.status === 'DEPLOYING' && observed.generation !== observed.memory.observedGeneration;
  switch (status) {
    case 'DEPLOYING':
      return false;
    case 'DEPLOYED':
      return (
        id === target &&
        id !== serving &&
        !observed.instances.some((instance) => instance.revision === id && isReady(instance))
      );
    case 'FAILED':
      return isAnnounced && (id === target || id === canary);
    default:
      return true;
  }
}

// Finds revisions that must prove again that they come up: revisions that were off, revisions that failed under an
// older spec, and a target that is to take over without a ready instance.
import { isReady } from './instances.ts';
import type { ObservedDeployment, ObservedRevision } from './observed.ts';
import type { RevisionRoles } from './revision-roles.ts';

export interface Attempts {
  readonly revisions: readonly ObservedRevision[];
  readonly hasNew: boolean;
}

export function withNewAttempts(observed: ObservedDeployment, roles: RevisionRoles): Attempts {
  const mustProve = (revision: ObservedRevision): boolean => needsNewAttempt(observed, roles, revision);
  return {
    revisions: observed.revisions.map((revision) =>
      mustProve(revision) ? { ...revision, status: 'DEPLOYING' } : revision,
    ),
    hasNew: observed.revisions.some(mustProve),
  };
}

function needsNewAttempt(
  observed: ObservedDeployment,
  { target, serving, canary }: RevisionRoles,
  { id, status }: ObservedRevision,
): boolean {
  if (id !== target && id !== serving && id !== canary) return false;
  // The api announced a new deployment, or that the resource was enabled again, with this spec.
  const isAnnounced = observed.status === 'DEPLOYING' && observed.generation !== observed.record.observedGeneration;
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

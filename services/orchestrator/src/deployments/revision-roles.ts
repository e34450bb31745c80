// Assigns roles to revisions: target, serving, canary, newest.
import type { ObservedDeployment, ObservedRevision } from './observed.ts';

export interface RevisionRoles {
  /** The revision that should take the traffic. */
  readonly target: string | undefined;
  /** The revision that takes the traffic now. */
  readonly serving: string | undefined;
  readonly canary: string | undefined;
  readonly newest: string | undefined;
}

export function revisionRolesOf({ revisions, chosen, canary, record }: ObservedDeployment): RevisionRoles {
  const isKept = (id: string | undefined): boolean => revisions.some((revision) => revision.id === id);
  const newest = revisions[0]?.id;
  return {
    target: isKept(chosen) ? chosen : newest,
    serving: record.activeRevision,
    canary: isKept(canary) ? canary : undefined,
    newest,
  };
}

/**
 * True for a revision that must prove itself before the deployment is done. The old revision
 * that still serves is not awaited.
 */
export const isAwaited = ({ target, canary, newest }: RevisionRoles, { id, status }: ObservedRevision): boolean =>
  id === target || id === canary || (id === newest && status === 'DEPLOYING');

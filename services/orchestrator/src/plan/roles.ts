// Which revisions matter now, and for what.
import type { Observed, ObservedRevision } from './observed.ts';

export interface Roles {
  /** Should take the traffic. */
  readonly target: string | undefined;
  /** Takes it now. */
  readonly serving: string | undefined;
  readonly canary: string | undefined;
  readonly newest: string | undefined;
}

export function rolesOf({ revisions, chosen, canary, memory }: Observed): Roles {
  const isKept = (id: string | undefined): boolean => revisions.some((revision) => revision.id === id);
  const newest = revisions[0]?.id;
  return {
    target: isKept(chosen) ? chosen : newest,
    serving: memory.activeRevision,
    canary: isKept(canary) ? canary : undefined,
    newest,
  };
}

/** Those that must prove themselves before the deployment is done; the old one that still serves is not among them. */
export const isAwaited = ({ target, canary, newest }: Roles, { id, status }: ObservedRevision): boolean =>
  id === target || id === canary || (id === newest && status === 'DEPLOYING');

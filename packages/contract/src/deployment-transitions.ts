// Which status of a workload may follow which; control-plane sheet 3.1. Everything that changes a status asks here.
import type { Status } from './schema/shared.ts';

/** A status may also be said again, with another message. Deleting, and the end of a sandbox, are legal from everywhere. */
const following: Readonly<Partial<Record<Status, readonly Status[]>>> = {
  DEPLOYING: ['DEPLOYED', 'FAILED', 'DEACTIVATING', 'DEACTIVATED'],
  // A running workload that keeps dying ends as failed.
  DEPLOYED: ['DEPLOYING', 'FAILED', 'DEACTIVATING', 'DEACTIVATED'],
  FAILED: ['DEPLOYING', 'DEPLOYED', 'DEACTIVATING', 'DEACTIVATED'],
  DEACTIVATING: ['DEACTIVATED', 'DEPLOYING'],
  DEACTIVATED: ['DEPLOYING'],
  DELETING: [],
  TERMINATED: [],
};

export function mayFollow(from: string, to: string): boolean {
  if (from === to || to === 'TERMINATED') return true;
  if (to === 'DELETING') return from !== 'TERMINATED';
  return Object.entries(following).some(([status, next]) => status === from && next.some((other) => other === to));
}

// Allowed transitions between statuses of a workload; control-plane sheet 3.1. Every status change is checked here.
import type { Status } from '../schema/shared.ts';

/**
 * Beyond this table: a status may repeat with another message, TERMINATED may follow every status, and DELETING every
 * status but TERMINATED.
 */
const following: Readonly<Partial<Record<Status, readonly Status[]>>> = {
  DEPLOYING: ['DEPLOYED', 'FAILED', 'DEACTIVATING', 'DEACTIVATED'],
  // A running workload that keeps crashing ends as failed.
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

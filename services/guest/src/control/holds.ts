import type { Guest } from '../guest.ts';

export type Holds = { openRequests: number; keepAliveHolds: number };

/** Counts the reasons that currently keep the sandbox awake. */
export async function holdsOf(guest: Guest): Promise<Holds> {
  // Without a record no process runs, so the processes feature need not be loaded.
  const hasProcesses = guest.supervisor.records().length > 0;
  return {
    openRequests: guest.activity.now().open,
    keepAliveHolds: hasProcesses ? (await guest.processes()).keepAliveHolds() : 0,
  };
}

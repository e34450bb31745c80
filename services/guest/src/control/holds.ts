import type { Guest } from '../guest.ts';

export type Holds = { openRequests: number; keepAliveHolds: number };

/** What forbids sleep at this moment. */
export async function holdsOf(guest: Guest): Promise<Holds> {
  // Without a record nothing runs, and the feature need not be loaded for the sake of an answer.
  const hasProcesses = guest.supervisor.records().length > 0;
  return {
    openRequests: guest.activity.now().open,
    keepAliveHolds: hasProcesses ? (await guest.processes()).keepAliveHolds() : 0,
  };
}

import { backoffMs, type Notifier, pause } from '@berth/concurrency';
import { nodePaths, type Orphan, type OrphanReport } from '@berth/contract/node';
import { ApiRefusal } from './api-refusal.ts';
import type { NodeClient } from './node-client.ts';

export interface ReportedOrphans {
  list(): readonly Orphan[];
  /** Notified when the list has changed. */
  readonly changed: Notifier;
}

export interface OrphanReporting {
  readonly client: NodeClient;
  readonly orphans: ReportedOrphans;
  readonly session: number;
  readonly signal: AbortSignal;
  readonly onTrouble: (error: unknown) => void;
}

const idleMs = 60_000;

/** Runs until the session ends. The whole list is sent at its start, and again when it has changed. */
export async function sendOrphans({ client, orphans, session, signal, onTrouble }: OrphanReporting): Promise<void> {
  let sent = '';
  let failures = 0;
  while (!signal.aborted) {
    const body: OrphanReport = { session, orphans: [...orphans.list()] };
    const text = JSON.stringify(body);
    if (text === sent) {
      await orphans.changed.wait(idleMs, signal);
      continue;
    }
    try {
      const answer = await client.post(nodePaths.orphans, body, { signal });
      if (answer.status !== 200) throw new ApiRefusal(answer);
      sent = text;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      onTrouble(error);
      await pause(backoffMs(failures, 100, 5_000, Math.random), signal);
    }
  }
}

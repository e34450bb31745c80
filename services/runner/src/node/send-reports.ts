import { backoffMs, type Notifier, pause } from '@berth/concurrency';
import { nodePaths } from '@berth/contract/node';
import { ApiRefusal } from './api-refusal.ts';
import type { NodeClient } from './node-client.ts';
import type { PendingReports } from './pending-reports.ts';

export interface Reporting {
  readonly client: NodeClient;
  readonly pending: PendingReports;
  /** Notified when there is something new to send. */
  readonly notifier: Notifier;
  readonly session: number;
  readonly signal: AbortSignal;
  readonly onSent: (count: number) => void;
  readonly onTrouble: (error: unknown) => void;
}

const maxPerBatch = 1_000;
const sessionOver = 409;
const idleMs = 60_000;

/** Runs until the session ends; reports that the api has not acknowledged are sent again. */
export async function sendReports(reporting: Reporting): Promise<void> {
  const { client, pending, notifier, session, signal, onSent, onTrouble } = reporting;
  let failures = 0;
  while (!signal.aborted) {
    const reports = pending.nextBatch(maxPerBatch);
    if (reports.length === 0) {
      await notifier.wait(idleMs, signal);
      continue;
    }
    try {
      const answer = await client.post(nodePaths.reports, { session, reports }, { signal });
      if (answer.status !== 200) throw new ApiRefusal(answer);
      pending.acknowledge(reports);
      onSent(reports.length);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiRefusal && error.status === sessionOver) throw error;
      failures += 1;
      onTrouble(error);
      await pause(backoffMs(failures, 100, 5_000, Math.random), signal);
    }
  }
}

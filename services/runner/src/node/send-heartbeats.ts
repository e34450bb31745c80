import { pause } from '@berth/concurrency';
import { type Heartbeat, nodePaths } from '@berth/contract/node';
import { ApiRefusal } from './api-refusal.ts';
import type { NodeClient } from './node-client.ts';

const everyMs = 5_000;

export interface HeartbeatOptions {
  readonly client: NodeClient;
  readonly session: number;
  readonly signal: AbortSignal;
  readonly measure: () => Promise<Omit<Heartbeat, 'session'>>;
  readonly onTrouble: (error: unknown) => void;
}

/** A lost heartbeat is not sent again: the next one is more recent. */
export async function sendHeartbeats({ client, session, signal, measure, onTrouble }: HeartbeatOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      const body: Heartbeat = { session, ...(await measure()) };
      const answer = await client.post(nodePaths.heartbeat, body, { timeoutMs: everyMs, signal });
      if (answer.status !== 200) throw new ApiRefusal(answer);
    } catch (error) {
      if (!signal.aborted) onTrouble(error);
    }
    await pause(everyMs, signal);
  }
}

// Sends usage to the api until it is acknowledged. Nothing is dropped: an interval that arrives twice counts once, and an
// api of the previous release will be upgraded.
import { backoffMs, type Notifier, pause } from '@berth/concurrency';
import { nodePaths } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { ApiRefusal } from '../node/api-refusal.ts';
import type { NodeClient } from '../node/node-client.ts';
import type { UsageMeter } from './meter.ts';

export interface UsageSending {
  readonly meter: Pick<UsageMeter, 'mark' | 'nextBatch' | 'acknowledge'>;
  readonly client: Pick<NodeClient, 'post'>;
  /** Notified when an interval was closed or an instance has ended. */
  readonly notifier: Notifier;
  readonly onSent: (intervals: number) => void;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly pauses?: typeof pauses;
}

const pauses = {
  /** Between two reports of an interval while it is open. */
  openMs: 60_000,
  /** Closed intervals wait this long for others. */
  gatherMs: 1_000,
  /** Usage that was kept arrives within a minute after the api is back. */
  retryMs: { first: 5_000, max: 20_000 },
};

/** Runs until the signal aborts. */
export async function sendUsage(sending: UsageSending): Promise<void> {
  const { notifier, logger, signal, pauses: { openMs, gatherMs, retryMs } = pauses } = sending;
  let openAtMs = performance.now();
  let failures = 0;
  let lastFailure = '';
  while (!signal.aborted) {
    try {
      const withOpen = performance.now() >= openAtMs;
      await sendAll(sending, withOpen);
      if (withOpen) openAtMs = performance.now() + openMs;
      failures = 0;
      lastFailure = '';
      const isNotified = await notifier.wait(Math.max(1, openAtMs - performance.now()), signal);
      if (isNotified) await pause(gatherMs, signal);
    } catch (err) {
      if (signal.aborted) return;
      failures += 1;
      const words = err instanceof Error ? err.message : String(err);
      if (words !== lastFailure) logger.warn({ err }, 'usage could not be sent; it is kept and sent again');
      lastFailure = words;
      await pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), signal);
    }
  }
}

async function sendAll({ meter, client, onSent, signal }: UsageSending, withOpen: boolean): Promise<void> {
  if (withOpen) meter.mark();
  while (!signal.aborted) {
    const batch = meter.nextBatch(withOpen);
    const { intervals, ended } = batch;
    if (intervals.length === 0 && ended.length === 0) return;
    const answer = await client.post(nodePaths.usage, batch, { signal });
    if (answer.status !== 200) throw new ApiRefusal(answer);
    if (!meter.acknowledge(batch)) throw new Error('The journal of usage could not be written.');
    onSent(intervals.length);
  }
}

// What the relay knows of the outbox without a query of its own.
import { Gauge, Histogram, type Registry } from '@berth/telemetry';
import type { BatchResult } from './relay-batch.ts';

export type ObserveBatch = (batch: Pick<BatchResult, 'sentAgesMs' | 'oldestLeftMs'>) => void;

export function createRelayMetrics(registry: Registry, now: () => number = () => performance.now()): ObserveBatch {
  const waits = new Histogram({
    name: 'berth_outbox_wait_seconds',
    help: 'Time from the write of a row of the outbox until Restate has stored its message.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600],
    registers: [registry],
  });
  let since: number | undefined;
  new Gauge({
    name: 'berth_outbox_oldest_seconds',
    help: 'Age of the oldest row of the outbox that could not be sent; 0 when the last batch was sent.',
    registers: [registry],
    // It grows between the batches too, since the relay pauses while Restate is away.
    collect() {
      this.set(since === undefined ? 0 : (now() - since) / 1_000);
    },
  });
  return ({ sentAgesMs, oldestLeftMs }) => {
    for (const ageMs of sentAgesMs) waits.observe(Math.max(0, ageMs) / 1_000);
    since = oldestLeftMs === undefined ? undefined : now() - oldestLeftMs;
  };
}

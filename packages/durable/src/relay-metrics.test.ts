import { Registry } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { RefusedRows } from './refused-rows.ts';
import { createRelayMetrics } from './relay-metrics.ts';

test('the age of the oldest row grows while the relay pauses, and is 0 once a batch was sent', async () => {
  const registry = new Registry();
  let now = 1_000;
  const observe = createRelayMetrics(registry, () => now);
  const oldest = async () => (await registry.getSingleMetric('berth_outbox_oldest_seconds')?.get())?.values[0]?.value;
  expect(await oldest()).toBe(0);
  observe({ sentAgesMs: [], oldestLeftMs: 2_000 });
  now += 3_000;
  expect(await oldest()).toBe(5);
  observe({ sentAgesMs: [5_000], oldestLeftMs: undefined });
  expect(await oldest()).toBe(0);
});

test('a refused row keeps its age until it is sent, or for a minute after another relay may have sent it', () => {
  const refused = new RefusedRows();
  expect(refused.oldestMs(0)).toBeUndefined();
  refused.add(1, 10_000, 4_000);
  refused.add(2, 10_000, 1_000);
  expect(refused.oldestMs(10_000)).toBe(4_000);
  refused.remove(1);
  expect(refused.oldestMs(10_000)).toBe(1_000);
  expect(refused.oldestMs(100_000)).toBeUndefined();
});

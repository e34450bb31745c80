import { createMetricsRegistry } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { createStartMetrics } from './start-metrics.ts';

test('every stage of a start is observed, and time that the runner did not measure counts as hand over', async () => {
  const registry = createMetricsRegistry({ role: 'test' });
  createStartMetrics(registry)({ totalMs: 300, stages: { create: 30, start: 120, ready: 5 } });
  const lines = (await registry.metrics()).split('\n');
  const sumOf = (stage: string) =>
    Number(
      lines
        .find((line) => line.startsWith('berth_instance_start_seconds_sum') && line.includes(`stage="${stage}"`))
        ?.split(' ')[1],
    );
  const sums = Object.fromEntries(['pull', 'create', 'start', 'ready', 'hand_over', 'total'].map((s) => [s, sumOf(s)]));
  expect(sums).toEqual({
    pull: 0,
    create: 0.03,
    start: 0.12,
    ready: 0.005,
    hand_over: expect.closeTo(0.145, 6),
    total: 0.3,
  });
});

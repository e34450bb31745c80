import { InstanceStages } from '@berth/contract/node';
import { Histogram, type Registry } from '@berth/telemetry';
import type { z } from 'zod';

/** Start of an instance: time from its row to its first ready report. */
export interface InstanceStart {
  readonly totalMs: number;
  /** Stages as measured by the runner. */
  readonly stages: z.infer<typeof InstanceStages>;
}

export type ObserveStart = (start: InstanceStart) => void;

/**
 * Observes starts by stage. `hand_over` is the remaining time: until the runner received the instance, in its queue,
 * and until its report arrived.
 */
export function createStartMetrics(registry: Registry): ObserveStart {
  const seconds = new Histogram({
    name: 'berth_instance_start_seconds',
    help: 'Time from the placement of an instance to its first ready report, by stage.',
    labelNames: ['stage'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  return ({ totalMs, stages }) => {
    const measured = InstanceStages.keyof().options.map((stage) => [stage, stages[stage] ?? 0] as const);
    const handOver = Math.max(0, totalMs - measured.reduce((sum, [, ms]) => sum + ms, 0));
    for (const [stage, ms] of [...measured, ['hand_over', handOver] as const, ['total', totalMs] as const])
      seconds.observe({ stage }, ms / 1_000);
  };
}

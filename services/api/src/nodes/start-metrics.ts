import { InstanceStages } from '@berth/contract';
import { Histogram, type Registry } from '@berth/telemetry';
import type { z } from 'zod';

/** From the row of an instance to its first answer. */
export interface BroughtUp {
  readonly totalMs: number;
  /** As its runner measured them. */
  readonly stages: z.infer<typeof InstanceStages>;
}

export type ObserveStart = (start: BroughtUp) => void;

/** `hand_over` is the rest: until the runner heard of it, waited for its turn, and was heard itself. */
export function createStartMetrics(registry: Registry): ObserveStart {
  const seconds = new Histogram({
    name: 'berth_instance_start_seconds',
    help: 'Time that instances took from their placement until they answered, by stage.',
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

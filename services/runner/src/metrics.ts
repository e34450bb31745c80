import { instanceStates } from '@berth/contract';
import { Counter, Gauge, Histogram, type Registry } from '@berth/telemetry';

export interface RunnerMetrics {
  readonly reportsSent: Counter;
  readonly logLinesSent: Counter;
  readonly bringUpSeconds: Histogram;
}

/** `countByState` is asked whenever somebody reads the metrics. */
export function createRunnerMetrics(
  registry: Registry,
  countByState: () => ReadonlyMap<string, number>,
): RunnerMetrics {
  new Gauge({
    name: 'berth_runner_instances',
    help: 'Instances on this machine by the state last observed.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const counts = countByState();
      for (const state of instanceStates) this.set({ state }, counts.get(state) ?? 0);
    },
  });
  return {
    reportsSent: new Counter({
      name: 'berth_runner_reports_sent_total',
      help: 'Reports of instances that the api has acknowledged.',
      registers: [registry],
    }),
    logLinesSent: new Counter({
      name: 'berth_runner_log_lines_sent_total',
      help: 'Lines of output that the api has stored.',
      registers: [registry],
    }),
    bringUpSeconds: new Histogram({
      name: 'berth_runner_bring_up_seconds',
      help: 'From the decision to bring an instance up until it answers, the pull of its image included.',
      buckets: [0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 30, 60, 180],
      registers: [registry],
    }),
  };
}

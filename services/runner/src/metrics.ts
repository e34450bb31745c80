import { instanceStates } from '@berth/contract/node';
import { Counter, Gauge, Histogram, type Registry } from '@berth/telemetry';

export interface RunnerMetrics {
  readonly reportsSent: Counter;
  readonly logLinesSent: Counter;
  readonly logBytesDropped: Counter;
  readonly usageIntervalsSent: Counter;
  readonly bringUpSeconds: Histogram;
  readonly tunnels: Counter<'answer'>;
  readonly diskCountSeconds: Histogram;
  readonly endedForDisk: Counter;
  readonly pullsAborted: Counter<'reason'>;
  readonly wakes: Counter<'outcome'>;
  readonly wakeSeconds: Histogram;
}

/** Values that are read at each scrape of the metrics. */
export interface RunnerCounts {
  byState(): ReadonlyMap<string, number>;
  tunnels(): number;
  leases(): number;
  freeDiskPercent(): number;
  isDiskAlarmed(): boolean;
  /** Resources that are short on this machine. */
  pressure(): { readonly memory: boolean; readonly disk: boolean };
  sandboxes(): { readonly awake: number; readonly asleep: number };
  unacknowledgedUsage(): number;
}

export function registerRunnerGauges(registry: Registry, counts: RunnerCounts): void {
  new Gauge({
    name: 'berth_runner_instances',
    help: 'Instances on this machine by the state last observed.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const byState = counts.byState();
      for (const state of instanceStates) this.set({ state }, byState.get(state) ?? 0);
    },
  });
  new Gauge({
    name: 'berth_runner_ingress_connections',
    help: 'Open tunnels to instances, and leases of gateways on this machine and of ingress processes.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      this.set({ kind: 'tunnel' }, counts.tunnels());
      this.set({ kind: 'lease' }, counts.leases());
    },
  });
  new Gauge({
    name: 'berth_runner_disk_free_percent',
    help: 'Free part of the file system with the data of the engine, in percent of bytes or of files, whichever is less.',
    registers: [registry],
    collect() {
      this.set(counts.freeDiskPercent());
    },
  });
  new Gauge({
    name: 'berth_runner_disk_alarm',
    help: '1 while the disk is nearly full and no workspace caused it: no instance is ended, and an operator has to free space.',
    registers: [registry],
    collect() {
      this.set(counts.isDiskAlarmed() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'berth_runner_pressed',
    help: '1 while memory or disk is short, so that new instances are placed elsewhere where possible.',
    labelNames: ['of'],
    registers: [registry],
    collect() {
      const { memory, disk } = counts.pressure();
      this.set({ of: 'memory' }, memory ? 1 : 0);
      this.set({ of: 'disk' }, disk ? 1 : 0);
    },
  });
  new Gauge({
    name: 'berth_runner_sandboxes',
    help: 'Sandboxes with an owner on this machine, awake and asleep.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { awake, asleep } = counts.sandboxes();
      this.set({ state: 'awake' }, awake);
      this.set({ state: 'asleep' }, asleep);
    },
  });
  new Gauge({
    name: 'berth_runner_usage_intervals_unacknowledged',
    help: 'Intervals of usage that the api has not acknowledged, or that have grown since.',
    registers: [registry],
    collect() {
      this.set(counts.unacknowledgedUsage());
    },
  });
}

/** Counters and histograms that the runner updates itself. */
export function createRunnerMetrics(registry: Registry): RunnerMetrics {
  return {
    diskCountSeconds: new Histogram({
      name: 'berth_runner_disk_count_seconds',
      help: 'Time to count the writes of one instance.',
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
      registers: [registry],
    }),
    endedForDisk: new Counter({
      name: 'berth_runner_disk_ended_total',
      help: 'Instances that were ended because of their writes.',
      registers: [registry],
    }),
    pullsAborted: new Counter({
      name: 'berth_runner_pulls_aborted_total',
      help: 'Image pulls that were aborted because the disk was short, or because the image exceeds its limit (too_large).',
      labelNames: ['reason'],
      registers: [registry],
    }),
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
    logBytesDropped: new Counter({
      name: 'berth_runner_log_bytes_dropped_total',
      help: 'Bytes of output that were not sent because their instance wrote too fast.',
      registers: [registry],
    }),
    usageIntervalsSent: new Counter({
      name: 'berth_runner_usage_intervals_sent_total',
      help: 'Intervals of usage that the api has acknowledged; an interval counts each time it was sent.',
      registers: [registry],
    }),
    tunnels: new Counter({
      name: 'berth_runner_tunnels_total',
      help: 'Tunnels that gateways asked for, by the answer: open, unknown, refused, unreachable, leaving or busy.',
      labelNames: ['answer'],
      registers: [registry],
    }),
    wakes: new Counter({
      name: 'berth_runner_wakes_total',
      help: 'Requests to wake a sandbox, by outcome: woken, busy (memory is short) or failed.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    wakeSeconds: new Histogram({
      name: 'berth_runner_wake_seconds',
      help: 'Time from the first request to wake a sandbox until it is awake.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
      registers: [registry],
    }),
    bringUpSeconds: new Histogram({
      name: 'berth_runner_bring_up_seconds',
      help: 'Time from the decision to bring an instance up until it answers, including the pull of its image.',
      buckets: [0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 30, 60, 180],
      registers: [registry],
    }),
  };
}

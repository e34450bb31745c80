import { Gauge, type Registry } from '@berth/telemetry';

export interface SeenRunner {
  readonly name: string;
  readonly region: string;
  readonly status: string;
  /** By the clock of PostgreSQL; null before its first word. */
  readonly silentSeconds: number | null;
}

/** Replaces what is shown, so that a removed runner disappears. */
export function createRunnerMetrics(registry: Registry): (runners: readonly SeenRunner[]) => void {
  const silence = new Gauge({
    name: 'berth_runner_silent_seconds',
    help: 'Time since each runner was last heard from, as the api sees it.',
    labelNames: ['runner', 'region'],
    registers: [registry],
  });
  const runners = new Gauge({
    name: 'berth_runners',
    help: 'Runners of the deployment, by status: up, or lost after `api.node.lostAfterSeconds` of silence.',
    labelNames: ['status'],
    registers: [registry],
  });
  return (seen) => {
    silence.reset();
    runners.reset();
    for (const status of ['up', 'lost']) runners.set({ status }, 0);
    for (const { name: runner, region, status, silentSeconds } of seen) {
      runners.inc({ status });
      if (silentSeconds !== null) silence.set({ runner, region }, Math.max(0, silentSeconds));
    }
  };
}

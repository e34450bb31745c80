// A runner that only meters: it joins a deployment and uses the runner's own journal, clock and sending loop, and no container
// runs.
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { createRunnerMetrics } from '../src/metrics.ts';
import { joinDeployment } from '../src/node/join-deployment.ts';
import { createNodeClient } from '../src/node/node-client.ts';
import { openUsage } from '../src/start/open-usage.ts';

export interface MeteringRunner extends AsyncDisposable {
  readonly runnerId: string;
  /** Notes a run that is over in the journal. Runs of an instance follow each other. */
  record(instance: string, run: { readonly fromMs: number; readonly toMs: number; readonly memoryMb: number }): void;
  /** Nothing further comes from the instance. */
  end(instance: string): void;
  /** Intervals in the journal that the api has not acknowledged. */
  readonly unacknowledged: number;
}

export interface MeteringRunnerOptions {
  readonly apiUrl: string;
  readonly joinToken: string;
  readonly stateFolder: string;
  /** Earlier usage is not metered, because an earlier journal may have it. */
  readonly sinceMs: number;
}

export async function joinAsMeteringRunner(options: MeteringRunnerOptions): Promise<MeteringRunner> {
  const { apiUrl, joinToken, stateFolder, sinceMs } = options;
  const identity = await joinDeployment({ apiUrl, joinToken, name: 'metering-runner' });
  const client = createNodeClient(apiUrl, identity);
  const metrics = createRunnerMetrics(createMetricsRegistry({ role: 'runner' }));
  const logger = createLogger({ role: 'runner' }, { level: 'silent' });
  const { meter, stopSending } = openUsage({ stateFolder, client, metrics, logger });
  meter.setClock(sinceMs);
  meter.setClock(Date.now());
  return {
    runnerId: identity.runnerId,
    record: (instance, { fromMs, toMs, memoryMb }) =>
      meter.record(instance, { fromMs, toMs, memoryMb, run: String(fromMs), pid: undefined }),
    end: (instance) => meter.forget(instance),
    get unacknowledged() {
      return meter.unacknowledged;
    },
    async [Symbol.asyncDispose]() {
      await stopSending();
      meter.close();
      client.close();
    },
  };
}

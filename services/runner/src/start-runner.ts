// The runner role: joins the deployment once, then stays connected to the api and reconciles the machine's containers
// with the state that the api wants. Each area is opened first and started once all of them exist.

import { PrioritySemaphore } from '@berth/concurrency';
import type { Brand } from '@berth/contract';
import type { Logger, ReadyReport, Registry, SpanSink } from '@berth/telemetry';
import { createCertificateMetric } from '@berth/wire';
import type { RunnerConfig } from './config.ts';
import { createDockerDriver } from './driver/docker-driver.ts';
import { FailureFiles } from './failures/failure-files.ts';
import { InstanceLeases } from './ingress/instance-leases.ts';
import { startIngress } from './ingress/start-ingress.ts';
import { Converger } from './instances/converger.ts';
import { TaskFiles } from './instances/tasks/task-files.ts';
import { OutputShipper } from './logs/output-shipper.ts';
import { machine } from './machine/machine.ts';
import { MemoryPressure } from './machine/pressure.ts';
import { createRunnerMetrics, registerRunnerGauges } from './metrics.ts';
import { keepCertificate } from './node/keep-certificate.ts';
import { createNodeClient } from './node/node-client.ts';
import { NodeLink } from './node/node-link.ts';
import { obtainIdentity } from './node/obtain-identity.ts';
import { Orphans } from './orphans/orphans.ts';
import { AdoptionFiles } from './sandbox/adoption-files.ts';
import { hello } from './start/hello.ts';
import { openRunnerSandboxes } from './start/open-runner-sandboxes.ts';
import { openStorage } from './start/open-storage.ts';
import { openUsage } from './start/open-usage.ts';
import { assertLayersAreFound, checkMachine, logFirewallProblems, openNetwork } from './start/prepare-machine.ts';
import { readiness } from './start/readiness.ts';

export interface RunnerOptions {
  readonly config: RunnerConfig;
  /** Brand words that guests use. */
  readonly brand: Brand;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Absent without a collector. */
  readonly spans?: SpanSink | undefined;
}

export interface RunningRunner {
  ready(): Promise<ReadyReport>;
  stop(): Promise<void>;
}

/**
 * Warm sandboxes are created and removed in the quiet time between two that are given out: after `quietMs` without a
 * disturbance, or after `maxMs` at the latest.
 */
const quietPeriod = { quietMs: 500, maxMs: 3_000 };
/** Shorter than the stop deadline of the whole process. */
const stopMs = 15_000;

export async function startRunner({
  config,
  brand,
  logger: given,
  registry,
  spans,
}: RunnerOptions): Promise<RunningRunner> {
  const { apiUrl, stateFolder, dockerUrl } = config;
  const driver = createDockerDriver({ dockerUrl, diskMbPerSecond: config.diskMbPerSecond });
  await checkMachine(driver, config, given);
  const identity = await obtainIdentity(config, given);
  const { runnerId } = identity;
  const logger = given.child({ runner: runnerId });
  const adopted = new AdoptionFiles(stateFolder);
  const orphans = new Orphans(stateFolder);
  const network = await openNetwork(config, runnerId, adopted, logger);
  await assertLayersAreFound(driver, network, config);
  void logFirewallProblems(network, logger);

  const metrics = createRunnerMetrics(registry);
  const client = createNodeClient(apiUrl, identity);
  const usage = openUsage({ stateFolder, client, metrics, logger });
  const { meter } = usage;
  const link = new NodeLink({
    client,
    logger,
    onReportsSent: (count) => metrics.reportsSent.inc(count),
    onTime: (nowMs) => meter.setClock(nowMs),
    orphans,
  });
  const leases = new InstanceLeases(config);
  const memory = new MemoryPressure(config.wakeReserveMb);
  const sandboxes = await openRunnerSandboxes({ config, brand, driver, adopted, logger, leases, link, metrics, meter });
  const output = new OutputShipper({
    stateFolder,
    client,
    logger,
    onSent: (lines) => metrics.logLinesSent.inc(lines),
    rate: {
      bytesPerSecond: config.logBytesPerSecond,
      onDropped: (bytes) => metrics.logBytesDropped.inc(bytes),
    },
  });
  const storage = await openStorage({ config, driver, adopted, metrics, logger });
  const { images, disk } = storage;
  const converger = new Converger({
    ...{ runnerId, driver, network, images, output, sandboxes, orphans, leases, disk, meter, logger, spans },
    failures: new FailureFiles(stateFolder),
    tasks: new TaskFiles(stateFolder),
    report: (instance, observation) => link.report(instance, observation),
    bringUps: new PrioritySemaphore(config.concurrency, config.warmConcurrency, quietPeriod),
    onBroughtUp: (seconds) => metrics.bringUpSeconds.observe(seconds),
  });
  const ingress = await startIngress({
    ...{ config, identity, leases, logger },
    instances: converger,
    calls: {
      adopt: (desired) => converger.adopt(desired),
      wake: ({ instance }) => sandboxes.sleep.wake(instance),
      sleep: ({ instance }) => sandboxes.sleep.sleep(instance),
    },
    onAnswers: (answer, count) => metrics.tunnels.inc({ answer }, count),
  });

  registerRunnerGauges(registry, {
    byState: () => link.countByState(),
    tunnels: () => ingress.tunnels,
    leases: () => leases.count,
    freeDiskPercent: () => disk.freePercent,
    isDiskAlarmed: () => disk.isAlarmed,
    pressure: () => ({ memory: memory.isPressed, disk: disk.isPressed }),
    sandboxes: () => sandboxes.sleep.counts(),
    unacknowledgedUsage: () => meter.unacknowledged,
  });
  storage.start((instance, failure) => converger.giveUp(instance, failure));
  converger.start();
  link.start(converger, {
    hello: () => hello(driver, config, ingress.address),
    measure: async () => ({
      freeMemoryMb: machine.freeMemoryMb(),
      freeDiskPercent: disk.freePercent,
      instances: converger.count,
      isPressed: memory.isPressed || disk.isPressed,
    }),
  });
  const stopping = new AbortController();
  let current = identity.certificate;
  createCertificateMetric(registry, () => ({ runner: current }));
  const certificate = keepCertificate(identity, {
    client,
    stateFolder,
    logger,
    signal: stopping.signal,
    onRenewed(renewed) {
      current = renewed.certificate;
      ingress.use(renewed);
    },
  });
  return {
    ready: () => readiness({ driver, converger, link, disk }),
    async stop() {
      stopping.abort();
      // These stop first, while the connection to the api is still open, so that what the engine still does is
      // reported. Containers keep running, and connections to them may finish within the stop time.
      await Promise.all([converger.close(), ingress.close(stopMs), storage.close()]);
      await sandboxes.sleep.close();
      await Promise.all([link.close(), output.close(), usage.stopSending(), certificate]);
      meter.close();
      client.close();
      await network.close();
    },
  };
}

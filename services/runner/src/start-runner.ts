// The runner role: joins the deployment once, then stays connected to the api and reconciles the machine's containers
// with the state that the api wants.
import { readFileSync } from 'node:fs';
import { type Brand, type Hello, type IsolationClass, nodeProtocolVersion } from '@berth/contract';
import { Limit } from '@berth/pace';
import type { Logger, ReadyReport, Registry } from '@berth/telemetry';
import { createCertificateMetric } from '@berth/wire';
import { z } from 'zod';
import type { RunnerConfig } from './config.ts';
import { DiskWatch } from './disk/disk-watch.ts';
import { tellLayerLimit } from './disk/layer-limit.ts';
import { createDockerDriver } from './driver/docker-driver.ts';
import type { Driver } from './driver/driver.ts';
import { FailureBook } from './failures/failure-book.ts';
import { createImageStore } from './images/image-store.ts';
import { startIngress } from './ingress/start-ingress.ts';
import { TrafficBook } from './ingress/traffic-book.ts';
import { Converger } from './instances/converger.ts';
import { OutputShipper } from './logs/output-shipper.ts';
import { machine } from './machine/machine.ts';
import { MemoryPressure } from './machine/pressure.ts';
import { createRunnerMetrics } from './metrics.ts';
import { keepCertificate } from './node/keep-certificate.ts';
import { createNodeClient } from './node/node-client.ts';
import { NodeLink } from './node/node-link.ts';
import { obtainIdentity } from './node/obtain-identity.ts';
import { AdoptedBook } from './sandbox/adopted-book.ts';
import { openSandboxes } from './sandbox/open-sandboxes.ts';
import { assertLayersAreFound, checkMachine, openNetwork, tellFirewall } from './start/prepare-machine.ts';

export interface RunnerOptions {
  readonly config: RunnerConfig;
  /** Brand words that guests use. */
  readonly brand: Brand;
  readonly logger: Logger;
  readonly registry: Registry;
}

export interface RunningRunner {
  ready(): Promise<ReadyReport>;
  stop(): Promise<void>;
}

/**
 * Warm sandboxes are created and removed in the quiet time between two that are given out: after `quietMs` without a
 * disturbance, or after `mostMs` at the latest.
 */
const calm = { quietMs: 500, mostMs: 3_000 };
/** Shorter than the stop deadline of the whole process. */
const stopMs = 15_000;
const imageCleaningMs = 10 * 60 * 1_000;
const bytesPerMb = 1_048_576;
const Package = z.object({ version: z.string() });

export async function startRunner({ config, brand, logger: given, registry }: RunnerOptions): Promise<RunningRunner> {
  const { apiUrl, stateFolder, dockerUrl } = config;
  const driver = createDockerDriver({ dockerUrl, diskMbPerSecond: config.diskMbPerSecond });
  await checkMachine(driver, config, given);
  const identity = await obtainIdentity(config, given);
  const { runnerId } = identity;
  const logger = given.child({ runner: runnerId });
  const adopted = new AdoptedBook(stateFolder);
  const network = await openNetwork(config, runnerId, adopted, logger);
  await assertLayersAreFound(driver, network, config);
  void tellFirewall(network, logger);
  const client = createNodeClient(apiUrl, identity);
  const traffic: TrafficBook = new TrafficBook(config, (instance, count) => keeper.onLeases(instance, count));
  const memory = new MemoryPressure(config.wakeReserveMb);
  const link = new NodeLink({
    client,
    logger,
    hello: () => hello(driver, config, ingress.address),
    measure: async () => ({
      freeMemoryMb: machine.freeMemoryMb(),
      freeDiskPercent: disk.freePercent,
      instances: converger.count,
      isPressed: memory.isPressed || disk.isPressed,
    }),
    onReportsSent: (count) => metrics.reportsSent.inc(count),
  });
  const metrics = createRunnerMetrics(registry, {
    byState: () => link.countByState(),
    tunnels: () => ingress.tunnels,
    leases: () => traffic.leases,
    freeDiskPercent: () => disk.freePercent,
    isDiskAlarmed: () => disk.isAlarmed,
    pressure: () => ({ memory: memory.isPressed, disk: disk.isPressed }),
    sandboxes: () => keeper.counts(),
  });
  const sandboxes = await openSandboxes({
    ...{ config, brand, driver, adopted, logger },
    recall: (instance) => traffic.recall(instance),
    onNews: (instance, news) => link.news(instance, news),
    onWake(outcome, seconds) {
      metrics.wakes.inc({ outcome });
      if (outcome === 'woken') metrics.wakeSeconds.observe(seconds);
    },
  });
  const { keeper } = sandboxes;
  const onSent = (lines: number) => metrics.logLinesSent.inc(lines);
  const output = new OutputShipper({
    stateFolder,
    client,
    logger,
    onSent,
    rate: {
      bytesPerSecond: config.logBytesPerSecond,
      onDropped: (bytes) => metrics.logBytesDropped.inc(bytes),
    },
  });
  const dataFolder = await driver.dataFolder();
  const pullLimits = {
    downloadBytes: config.imageMaxMb * bytesPerMb,
    unpackedBytes: config.imageMaxUnpackedMb * bytesPerMb,
  };
  const images = await createImageStore({
    driver,
    stateFolder,
    registries: config.registries,
    limits: pullLimits,
    hasRoom: () => !disk.isShort,
    maxAgeDays: config.imageMaxAgeDays,
    diskPressurePercent: config.imageDiskPercent,
    diskFolder: dataFolder,
    shared: config.sharedImages,
    standing: config.warm.filter(({ count }) => count > 0).map(({ image }) => image),
    now: () => new Date(),
    logger,
  });
  const cleanImages = () =>
    void images
      .clean()
      .catch((err: unknown) => logger.warn({ err }, 'unused images could not be removed; tried again'));
  const gvisorMb = await tellLayerLimit(driver, config.diskMb, logger);
  const disk = new DiskWatch({
    folder: dataFolder,
    limits: { bytes: config.diskMb * bytesPerMb, files: config.diskFiles },
    workspaceOf: (instance) => adopted.find(instance)?.workspaceId,
    gvisorBytes: gvisorMb === undefined ? undefined : gvisorMb * bytesPerMb,
    reservePercent: config.diskReservePercent,
    end: (instance, failure) => {
      metrics.endedForDisk.inc();
      converger.giveUp(instance, failure);
    },
    onShort: cleanImages,
    pullLimits,
    runningPulls: () => images.runningPulls(),
    onPullAborted: (reason) => metrics.pullsAborted.inc({ reason }),
    onCounted: (seconds) => metrics.diskCountSeconds.observe(seconds),
    logger,
  });
  const converger = new Converger({
    runnerId,
    driver,
    network,
    images,
    output,
    failures: new FailureBook(stateFolder),
    report: (instance, observation) => link.report(instance, observation),
    bringUps: new Limit(config.concurrency, config.warmConcurrency, calm),
    sandboxes,
    traffic,
    disk,
    onBroughtUp: (seconds) => metrics.bringUpSeconds.observe(seconds),
    logger,
  });
  const ingress = await startIngress({
    config,
    identity,
    instances: converger,
    traffic,
    calls: {
      adopt: (desired) => converger.adopt(desired),
      wake: ({ instance }) => keeper.wake(instance),
      sleep: ({ instance }) => keeper.sleep(instance),
    },
    onAnswers: (answer, count) => metrics.tunnels.inc({ answer }, count),
    logger,
  });
  disk.start();
  converger.start();
  link.start(converger);
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
  const cleaning = setInterval(cleanImages, imageCleaningMs);
  return {
    ready: () => readiness(driver, converger, link, disk),
    async stop() {
      stopping.abort();
      clearInterval(cleaning);
      // These stop first, while the connection to the api is still open, so that what the engine still does is
      // reported. Containers keep running, and connections to them may finish within the stop time.
      await Promise.all([converger.close(), ingress.close(stopMs), disk.close()]);
      await keeper.close();
      await Promise.all([link.close(), output.close(), certificate]);
      client.close();
      await network.close();
    },
  };
}

async function hello(driver: Driver, config: RunnerConfig, ingress: string): Promise<Hello> {
  const offered = await driver.isolationClasses();
  const isolation = offered.filter((each: IsolationClass) => config.isolation?.includes(each) ?? true);
  if (isolation.length === 0) {
    throw new Error(
      `The engine offers ${offered.join(' and ') || 'no isolation class'}, which runner.isolation leaves out.`,
    );
  }
  return {
    protocol: nodeProtocolVersion,
    version: ownVersion(),
    isolation,
    memoryMb: config.memoryMb ?? machine.offeredMemoryMb(),
    cpus: machine.cpus(),
    ingress,
    ingressCredential: 'certificate',
    warm: config.warm,
    warmLately: config.warmLately,
  };
}

const ownVersion = (): string =>
  Package.parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version;

/**
 * The runner is not ready while the engine or the api is unreachable, the network is not sound, or the disk needs an
 * operator. Running instances continue all the same.
 */
async function readiness(driver: Driver, converger: Converger, link: NodeLink, disk: DiskWatch): Promise<ReadyReport> {
  const hasEngine = await driver.isolationClasses().then(
    () => true,
    () => false,
  );
  const checks = {
    engine: { ok: hasEngine },
    network: { ok: converger.isNetworkSound },
    api: { ok: link.isConnected },
    disk: { ok: !disk.isAlarmed },
  };
  return { ready: Object.values(checks).every(({ ok }) => ok), checks };
}

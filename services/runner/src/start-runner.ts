// The runner role: joins once, then holds its line to the api and keeps the machine's containers as the api wants them.
import { readFileSync } from 'node:fs';
import { type Brand, type Hello, type IsolationClass, nodeProtocolVersion } from '@berth/contract';
import { backoffMs, Limit, pause } from '@berth/pace';
import type { Logger, ReadyReport, Registry } from '@berth/telemetry';
import { z } from 'zod';
import type { RunnerConfig } from './config.ts';
import { Converger } from './converge/converger.ts';
import { FailureBook } from './converge/failure-book.ts';
import { DiskWatch } from './disk/disk-watch.ts';
import { tellLayerLimit } from './disk/layer-limit.ts';
import { createDockerDriver } from './driver/docker-driver.ts';
import type { Driver } from './driver/driver.ts';
import { createImageStore } from './images/image-store.ts';
import { startIngress } from './ingress/start-ingress.ts';
import { TrafficBook } from './ingress/traffic-book.ts';
import { OutputShipper } from './logs/output-shipper.ts';
import { createRunnerMetrics } from './metrics.ts';
import { openShell } from './network/command.ts';
import { createNetwork } from './network/create-network.ts';
import type { Network } from './network/network.ts';
import { resolversFor } from './network-settings.ts';
import { keepCertificate } from './node/keep-certificate.ts';
import { machine } from './node/machine.ts';
import { createNodeClient } from './node/node-client.ts';
import { NodeLink } from './node/node-link.ts';
import { obtainIdentity } from './node/obtain-identity.ts';
import { readFacts } from './preflight/facts.ts';
import { assertSuitable } from './preflight/preflight.ts';
import { MemoryPressure } from './pressure.ts';
import { AdoptedBook } from './sandbox/adopted-book.ts';
import { openSandboxes } from './sandbox/open-sandboxes.ts';

export interface RunnerOptions {
  readonly config: RunnerConfig;
  /** Guests speak in its words. */
  readonly brand: Brand;
  readonly logger: Logger;
  readonly registry: Registry;
}

export interface RunningRunner {
  ready(): Promise<ReadyReport>;
  stop(): Promise<void>;
}

const enginePatienceMs = 60_000;
/** Sandboxes are made ahead, and cleared away, between two that are given out. */
const calm = { quietMs: 500, mostMs: 3_000 };
/** Below what a stop of the whole process may take. */
const stopMs = 15_000;
const imageCleaningMs = 10 * 60 * 1_000;
const bytesPerMb = 1_048_576;
const Package = z.object({ version: z.string() });

export async function startRunner({ config, brand, logger: given, registry }: RunnerOptions): Promise<RunningRunner> {
  const { apiUrl, stateFolder, dockerUrl } = config;
  const driver = createDockerDriver({ dockerUrl });
  await preflight(driver, config, given);
  const identity = await obtainIdentity(config, given);
  const { runnerId } = identity;
  const logger = given.child({ runner: runnerId });
  const adopted = new AdoptedBook(stateFolder);
  const network = await openNetwork(config, runnerId, adopted, logger);
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
    onIngressSecret: (secret) => ingress.take(secret),
  });
  const metrics = createRunnerMetrics(registry, {
    byState: () => link.countByState(),
    tunnels: () => ingress.tunnels,
    leases: () => traffic.leases,
    freeDiskPercent: () => disk.freePercent,
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
  const output = new OutputShipper({ stateFolder, client, logger, onSent });
  const dataFolder = await driver.dataFolder();
  const images = await createImageStore({
    driver,
    stateFolder,
    registries: config.registries,
    maxAgeDays: config.imageMaxAgeDays,
    diskPressurePercent: config.imageDiskPercent,
    diskFolder: dataFolder,
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
    gvisorBytes: gvisorMb === undefined ? undefined : gvisorMb * bytesPerMb,
    reservePercent: config.diskReservePercent,
    end: (instance, failure) => {
      metrics.endedForDisk.inc();
      converger.giveUp(instance, failure);
    },
    onShort: cleanImages,
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
  const certificate = keepCertificate(identity, {
    client,
    stateFolder,
    logger,
    signal: stopping.signal,
    onRenewed: (renewed) => ingress.use(renewed),
  });
  const cleaning = setInterval(cleanImages, imageCleaningMs);
  return {
    ready: () => readiness(driver, converger, link),
    async stop() {
      stopping.abort();
      clearInterval(cleaning);
      // First: what the engine still does is reported as long as the line is open. Containers stay, and so do those who speak
      // to them for as long as a stop may take.
      await Promise.all([converger.close(), ingress.close(stopMs), disk.close()]);
      await keeper.close();
      await Promise.all([link.close(), output.close(), certificate]);
      client.close();
      await network.close();
    },
  };
}

/** After a reboot the engine may come up a little later than the runner. An engine that stays away is one of the problems. */
async function preflight(driver: Driver, { dockerUrl, isolation }: RunnerConfig, logger: Logger): Promise<void> {
  const asking = patiently(logger, 'the engine does not answer yet; asked again', () => driver.isolationClasses());
  await asking.catch(() => {});
  assertSuitable(await readFacts(dockerUrl, openShell()), isolation);
}

async function openNetwork(
  config: RunnerConfig,
  runnerId: string,
  adopted: AdoptedBook,
  logger: Logger,
): Promise<Network> {
  const { dockerUrl, bridge, subnet, gateways, slots } = config;
  const workspaceOf = (instance: string) => adopted.find(instance)?.workspaceId;
  const resolvers = resolversFor(config);
  const options = { dockerUrl, runnerId, bridge, subnet, gateways, slots, resolvers, workspaceOf, logger };
  return patiently(logger, 'the network of this machine cannot be prepared yet; tried again', () =>
    createNetwork(options),
  );
}

/** Instances run all the same, and what the operator mends holds at once. */
async function tellFirewall(network: Network, logger: Logger): Promise<void> {
  const event = 'runner.firewall';
  try {
    const problems = await network.checkFirewall();
    for (const { message, fix } of problems) logger.error({ event, fix }, `${message} Run: ${fix}`);
    if (problems.length === 0) logger.info({ event }, 'the firewall of this machine lets instances through');
  } catch (err) {
    logger.warn({ event, err }, 'the firewall of this machine could not be checked');
  }
}

/** Tries again for as long as an engine may take to come up, and then fails as the last try did. */
async function patiently<T>(logger: Logger, saying: string, attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + enginePatienceMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (err) {
      if (performance.now() > giveUpAt) throw err;
      logger.warn({ err }, saying);
      await pause(backoffMs(failures, 250, 5_000, Math.random));
    }
  }
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
    warm: config.warm,
    warmLately: config.warmLately,
  };
}

const ownVersion = (): string =>
  Package.parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version;

/** An engine or an api that is away makes it not ready; what runs goes on all the same. */
async function readiness(driver: Driver, converger: Converger, link: NodeLink): Promise<ReadyReport> {
  const hasEngine = await driver.isolationClasses().then(
    () => true,
    () => false,
  );
  const checks = {
    engine: { ok: hasEngine },
    network: { ok: converger.isNetworkSound },
    api: { ok: link.isConnected },
  };
  return { ready: Object.values(checks).every(({ ok }) => ok), checks };
}

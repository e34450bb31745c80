// The orchestrator role: relays the outbox to Restate, serves the handlers, and periodically looks
// for work that Restate has lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Brand } from '@berth/contract';
import {
  connect,
  createNotifier,
  type Database,
  deliveriesChannel,
  instancesChannel,
  loadDeploymentEpoch,
  routesChannel,
} from '@berth/database';
import { createSender, resync, startHandlers, startRelay } from '@berth/durable';
import { createKeyring, gatewayKey, type MasterKeyRing } from '@berth/identity';
import type { LimitSettings, PlacementConfig, Region } from '@berth/instances';
import { createPost } from '@berth/outward';
import { type Logger, type ReadyReport, type Registry, readyWhen, type SpanSink } from '@berth/telemetry';
import { openUsage } from '@berth/usage';
import { sql } from 'kysely';
import { startDeliveries } from './callbacks/start-deliveries.ts';
import type { OrchestratorConfig } from './config.ts';
import { unfinishedDeployments } from './deployments/unfinished-deployments.ts';
import { dispatchHandler } from './dispatch/handler.ts';
import { waitingWork } from './dispatch/waiting-work.ts';
import { executionHandler } from './executions/handler.ts';
import { unfinishedExecutions } from './executions/unfinished-executions.ts';
import { startMetering } from './metering/start-metering.ts';
import { poolHandler } from './pools/handler.ts';
import { runnersWithPools } from './pools/runners-with-pools.ts';
import { reconcileHandler } from './reconcile/handler.ts';
import { strayInstances } from './reconcile/stray-instances.ts';
import { removalHandler } from './removal/handler.ts';
import { unremovedWorkspaces } from './removal/unremoved-workspaces.ts';
import { createCounters } from './run/counters.ts';
import type { Dependencies, ScalingSettings } from './run/dependencies.ts';
import { dueSandboxes } from './sandboxes/due-sandboxes.ts';
import { dueSchedules } from './triggers/due-schedules.ts';
import { cronHandler } from './triggers/handler.ts';

export interface OrchestratorOptions {
  readonly config: OrchestratorConfig;
  readonly placement: PlacementConfig;
  readonly scaling: ScalingSettings;
  readonly limits: LimitSettings;
  readonly brand: Brand;
  readonly regions: readonly Region[];
  /** Address at which tasks reach a gateway to read their arguments. */
  readonly gatewayUrl: string;
  readonly databaseUrl: string;
  /** Open the secrets that callbacks are signed with. */
  readonly masterKeys: MasterKeyRing;
  readonly restate: { readonly ingressUrl: string; readonly adminUrl: string };
  /** Without a URL no usage is kept. */
  readonly clickhouse?: { readonly url?: string | undefined; readonly logRetentionDays?: number };
  readonly logger: Logger;
  readonly registry: Registry;
  /** Absent without a collector. */
  readonly spans?: SpanSink | undefined;
  /** Interval between searches for unfinished work. */
  readonly resyncMs?: number;
  /** Interval between checks that Restate still knows the handlers. */
  readonly checkEveryMs?: number;
}

export interface RunningOrchestrator {
  /** Address at which Restate calls the handlers. */
  readonly address: string;
  ready(): Promise<ReadyReport>;
  stop(): Promise<void>;
}

const everyTwoMinutes = 120_000;

export async function startOrchestrator(options: OrchestratorOptions): Promise<RunningOrchestrator> {
  const { config, scaling, databaseUrl, restate, clickhouse, logger, resyncMs = everyTwoMinutes } = options;
  const database = connect({
    url: databaseUrl,
    maxConnections: config.databaseConnections,
    applicationName: 'berth-orchestrator',
    onIdleError: (err) => logger.warn({ err }, 'idle database connection broke; the pool opens a new one'),
  });
  if ((await loadDeploymentEpoch(database)).isRehearsal)
    throw new Error(
      'This database is a copy for a rehearsal. An orchestrator would start jobs and call other systems for it: run the api alone, or make it a deployment of its own with berth-server finish-restore.',
    );
  const sender = createSender({ ingressUrl: restate.ingressUrl });
  const stopping = new AbortController();
  const findUnfinished = async (): Promise<void> => {
    const sources = [
      unfinishedDeployments(scaling),
      strayInstances,
      dueSandboxes,
      runnersWithPools,
      unremovedWorkspaces,
      unfinishedExecutions,
      waitingWork,
      dueSchedules(),
    ];
    const sent = await resync({ database, sender, sources, signal: stopping.signal });
    logger.info({ sent }, 'resync finished; unfinished work was sent again');
  };
  const dependencies = dependenciesOf(options, database);
  const handlers = await startHandlers({
    handlers: [
      reconcileHandler(dependencies),
      poolHandler(dependencies),
      executionHandler(dependencies),
      dispatchHandler(dependencies),
      cronHandler(dependencies),
      removalHandler(database),
    ],
    adminUrl: restate.adminUrl,
    host: config.host,
    port: config.port,
    advertisedUrl: config.advertisedUrl,
    identityKeys: config.identityKeys,
    concurrency: config.concurrency,
    logger,
    registry: options.registry,
    spans: options.spans,
    onFirstRegistered: findUnfinished,
    ...(options.checkEveryMs === undefined ? {} : { checkEveryMs: options.checkEveryMs }),
  });
  const relay = startRelay({ database, databaseUrl, sender, logger, registry: options.registry });
  const deliveries = startDeliveries({
    database,
    databaseUrl,
    keyring: createKeyring(options.masterKeys),
    brand: options.brand,
    post: createPost({ allowedRanges: config.callbacks.allowedRanges }),
    logger,
    random: Math.random,
  });
  const usage =
    clickhouse?.url === undefined
      ? undefined
      : openUsage({ ...clickhouse, url: clickhouse.url, logger, registry: options.registry });
  const metering =
    usage === undefined
      ? undefined
      : startMetering({
          ...{ database, usage, logger, registry: options.registry },
          notifyDeliveries: dependencies.notifyDeliveries,
        });
  const resyncing = repeat(findUnfinished, resyncMs, stopping.signal, logger);
  return {
    address: handlers.url,
    ready: async () =>
      joinReports(await readyWhen('postgres', () => sql`select 1`.execute(database)), await handlers.ready()),
    async stop() {
      stopping.abort();
      await Promise.all([resyncing, relay.stop(), deliveries.stop(), metering?.stop(), handlers.stop()]);
      await usage?.close();
      await database.destroy();
    },
  };
}

function dependenciesOf(
  { placement, scaling, limits, brand, regions, gatewayUrl, logger, registry }: OrchestratorOptions,
  database: Database,
): Dependencies {
  return {
    placement,
    scaling,
    limits,
    brand,
    regions,
    gatewayUrl,
    taskDataKey: loadOnce(() => gatewayKey(database, 'task-data')),
    database,
    logger,
    counters: createCounters(registry),
    notifyRunner: createNotifier(database, instancesChannel, (err) =>
      logger.warn({ err }, 'runner notification failed; its stream finds the change by polling'),
    ),
    notifyGateways: createNotifier(database, routesChannel, (err) =>
      logger.warn({ err }, 'gateway notification failed; gateways find the change by polling'),
    ),
    notifyDeliveries: createNotifier(database, deliveriesChannel, (err) =>
      logger.warn({ err }, 'callback notification failed; the loops find the callback by polling'),
    ),
    random: Math.random,
  };
}

/** Loads a value at its first use. A failure is not kept. */
function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Runs `work` at once, and again `pauseMs` after each end. */
async function repeat(work: () => Promise<void>, pauseMs: number, signal: AbortSignal, logger: Logger): Promise<void> {
  while (!signal.aborted) {
    await work().catch((err: unknown) => {
      if (!signal.aborted) logger.warn({ err }, 'resync failed; it is repeated after the interval');
    });
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}

const joinReports = (left: ReadyReport, right: ReadyReport): ReadyReport => ({
  ready: left.ready && right.ready,
  checks: { ...left.checks, ...right.checks },
});

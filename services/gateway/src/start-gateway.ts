// The gateway role: listens for clients and forwards each request to an instance of its workload.
import { readFile } from 'node:fs/promises';
import { type Brand, noProviderSettings, type ProviderSettings } from '@berth/contract';
import { connect, createLookupLane, createNotifier, type Database, outboxChannel, uuidv7 } from '@berth/database';
import {
  createAuthenticator,
  createCallerLimits,
  createKeyring,
  gatewayKey,
  loadNodeAuthorityCertificate,
  type MasterKeyRing,
  trustedProxies,
} from '@berth/identity';
import type { LimitSettings } from '@berth/instances';
import { type Logger, type ReadyReport, type Registry, readyWhen, type SpanSink } from '@berth/telemetry';
import { openUsage } from '@berth/usage';
import { type Credentials, createCertificateMetric, createCredentials } from '@berth/wire';
import { sql } from 'kysely';
import { createGatekeeper } from './access/gatekeeper.ts';
import { rateRefusal } from './access/rate-refusal.ts';
import { createStickyCookies } from './access/sticky-cookie.ts';
import { createCallLog } from './audit/call-log.ts';
import { insertCalls, updateCalls } from './audit/write-calls.ts';
import type { GatewayConfig } from './config.ts';
import { createRequestCounts } from './counts/request-counts.ts';
import { createDemandTracker } from './demand/demand-tracker.ts';
import { WaitingList } from './demand/waiting-list.ts';
import { writeDemand } from './demand/write-demand.ts';
import type { GatewayCode } from './errors/error-table.ts';
import { errorAnswer } from './errors/gateway-error.ts';
import { createGatewayServer, type Refusal, type RefusalStatus } from './http/gateway-server.ts';
import { openModels } from './models/open-models.ts';
import { createPreviewGate } from './previews/preview-gate.ts';
import { createTokenLookup } from './previews/token-lookup.ts';
import { certifyGateway } from './proxy/certify-gateway.ts';
import { createForwarder } from './proxy/forwarder.ts';
import { createLocalConnector } from './proxy/local-connector.ts';
import { createLocalFirstConnector } from './proxy/local-first-connector.ts';
import { measureOpenings } from './proxy/measure-openings.ts';
import { createTunnelConnector } from './proxy/tunnel-connector.ts';
import { createUpgrader } from './proxy/upgrader.ts';
import { ownHosts } from './routing/own-hosts.ts';
import { createWorkloadCache } from './routing/workload-cache.ts';
import { createChooser } from './serve/chooser.ts';
import { createHandle } from './serve/handle.ts';
import { openCalls } from './serve/open-calls.ts';
import { createOpenStreams } from './serve/open-streams.ts';
import { createPassOn } from './serve/pass-on.ts';
import { createRequestMetrics } from './serve/request-metrics.ts';
import { createWalk } from './serve/walk.ts';
import { createServeTaskData } from './tasks/serve-task-data.ts';
import { createTaskData } from './tasks/task-data.ts';
import { createServeTrigger } from './triggers/serve-trigger.ts';
import { createStartExecution } from './triggers/start-execution.ts';
import { createTriggerCache } from './triggers/trigger-cache.ts';
import { triggerScope } from './triggers/trigger-scope.ts';
import { callScope } from './workloads/call-scope.ts';
import { timeoutsByKind } from './workloads/workload-kinds.ts';

export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** Limits of accounts. */
  readonly limits: LimitSettings;
  readonly scaling: { readonly requestsPerInstance: number; readonly idleSeconds: number };
  readonly brand: Brand;
  readonly workloadDomain: string;
  readonly databaseUrl: string;
  readonly providers?: ProviderSettings;
  /** Without them the gateway serves everything but models. */
  readonly masterKeys?: MasterKeyRing | undefined;
  /** Without a URL, requests to workloads are not counted. */
  readonly clickhouse?: { readonly url?: string | undefined };
  readonly logger: Logger;
  readonly registry: Registry;
  /** Absent without a collector. */
  readonly spans?: SpanSink | undefined;
}

export interface RunningGateway {
  readonly address: string;
  ready(): Promise<ReadyReport>;
  stop(): Promise<void>;
}

/** How long known callers are served while PostgreSQL is away. */
const staleMs = 60_000;
const drainMs = 20_000;
/**
 * Lookups of unknown keys and of unknown tokens run one statement each at a time. Lookups of workload names share the
 * rest: one statement per address form, and two to read a preview.
 */
const strangerConnections = 4;
/** One start for a caller with a key and one for an anonymous caller are under way at a time. */
const startConnections = 2;
/** The limits of models run one statement at a time, and another one after a statement that was given up. */
const limitConnections = 2;
const startLane = { maxRunning: 1, maxWaiting: 200 };
/** One statement covers all waiting lookups. */
const strangerLane = { maxWaiting: 200 };
/** At least half of the connections stay reserved for workloads that are known. */
const callerLane = (connections: number) => ({ maxRunning: Math.floor(connections / 2), maxWaiting: 1_000 });

export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const {
    config,
    providers = noProviderSettings,
    limits,
    scaling,
    brand,
    workloadDomain,
    databaseUrl,
    masterKeys,
    clickhouse,
    logger,
    registry,
  } = options;
  const onIdleError = (err: Error): void =>
    logger.warn({ err }, 'idle database connection broke; the pool opens another one');
  const database = connect({
    url: databaseUrl,
    maxConnections: config.databaseConnections,
    applicationName: 'berth-gateway',
    onIdleError,
  });
  // Known keys have their own connections, so that a revoked key is refused within a second under any load.
  const people = connect({ url: databaseUrl, maxConnections: 2, applicationName: 'berth-gateway-keys', onIdleError });
  // Any client can invent a key, a host or a token. Such lookups are limited to these connections.
  const strangers = connect({
    url: databaseUrl,
    maxConnections: strangerConnections,
    applicationName: 'berth-gateway-strangers',
    onIdleError,
  });
  // Starts of executions write, and each may wait for rows that other writers hold. No lookup waits behind them.
  const starts = connect({
    url: databaseUrl,
    maxConnections: startConnections,
    applicationName: 'berth-gateway-starts',
    onIdleError,
  });
  // While PostgreSQL is away, statements that were given up must not hold connections of lookups.
  const sums = connect({
    url: databaseUrl,
    maxConnections: limitConnections,
    applicationName: 'berth-gateway-limits',
    onIdleError,
  });
  // Tasks that read their arguments share it: neither takes the connections of known workloads.
  const callerLookups = createLookupLane(callerLane(config.databaseConnections));
  const lookupLanes = {
    caller: { database, lane: callerLookups },
    stranger: { database: strangers, lane: strangerLane },
  };
  const cache = createWorkloadCache({ database, databaseUrl, logger, lookupLanes });
  const triggers = createTriggerCache(cache.notices, { database, logger, lookupLanes });
  const notifyOutbox = createNotifier(database, outboxChannel, (err) =>
    logger.warn({ err }, 'outbox notification failed; the outbox poll will pick it up'),
  );
  const demand = openDemandTracker(database, notifyOutbox, scaling, logger);
  const calls = createCallLog({
    insert: (entries) => insertCalls(database, entries),
    update: (entries) => updateCalls(database, entries),
    logger,
  });
  // Gateways face the internet: a right to insert is all they need. Apis make the table.
  const usage =
    clickhouse?.url === undefined
      ? undefined
      : openUsage({ url: clickhouse.url, logger, registry, makesTables: false });
  const counts =
    usage === undefined
      ? undefined
      : createRequestCounts({ write: (rows) => usage.requests.write(rows), logger, newRunId: uuidv7 });
  const credentials = openCredentials(database, logger, registry);
  const { localRunner: socketPath, sandboxes } = config;
  const wakeMs = sandboxes.wakeSeconds * 1_000;
  const reached = createLocalFirstConnector(
    socketPath === undefined
      ? undefined
      : createLocalConnector({
          socketPath,
          wakeMs,
          // Idle connections would hold the lease that the runner wants back.
          onLeaseOver: (instance) => forwarder.forget(instance),
        }),
    createTunnelConnector({ credentials, wakeMs, logger }),
  );
  const connector = measureOpenings(reached, registry);
  const timeouts = timeoutsByKind(config);
  const forwarder = createForwarder({ connector, limits: config.limits, timeouts, logger, registry });
  const context = { brand, docsUrl: config.docsUrl };
  const isTrusted = trustedProxies(config.trustedProxies);
  const holdMs = config.hold.seconds * 1_000;
  const waiting = new WaitingList(config.hold.requests);
  const streams = createOpenStreams();
  const authenticator = createAuthenticator(people, {
    staleMs,
    unknownKeys: { database: strangers, lane: strangerLane },
  });
  const callers = createCallerLimits({ ...config.rateLimits, isTrusted, refuse: rateRefusal });
  const models = openModels({
    ...{ brand, callers, calls, isTrusted, streams, authenticator, database, lookupLanes, logger, registry },
    ...{ notices: cache.notices, limitDatabase: sums, keyring: masterKeys && createKeyring(masterKeys), ...providers },
    prices: config.models.prices,
    answerMs: config.models.answerSeconds * 1_000,
    silentMs: config.models.silentSeconds * 1_000,
    maxBodyBytes: config.models.bodyBytes,
  });
  const metrics = createRequestMetrics(registry);
  const handle = createHandle({ ...context, logger, metrics, counts, spans: options.spans });
  const passOn = createPassOn({
    ...{ forwarder, demand, cache, streams, waiting, metrics, retryForMs: holdMs },
    traces: options.spans && { brand, spans: options.spans },
    upgrader: createUpgrader({ connector, timeouts }),
    chooser: createChooser({
      brand,
      cache,
      demand,
      cookies: createStickyCookies({ key: await gatewayKey(database, 'sticky'), brand }),
      holdMs,
      waiting,
      random: Math.random,
    }),
  });
  const triggerKeeper = createGatekeeper({ authenticator, cache: triggers, brand, scopeOf: triggerScope });
  const lanes = { caller: createLookupLane(startLane), stranger: createLookupLane(startLane) };
  const asyncCalls = openCalls({
    ...{ database, storing: { database: starts, lanes }, brand, handle, passOn, cache, logger, registry },
    ...{ atOnce: config.calls.atOnce, perAgent: config.calls.perAgent },
    leaseMs: config.calls.leaseSeconds * 1_000,
    maxBodyBytes: config.calls.bodyBytes,
  });
  const walk = createWalk({
    ...{ brand, callers, workloadDomain, calls, cache, sandboxes, handle, passOn, isTrusted },
    browserOrigins: config.browserOrigins,
    isOwnHost: ownHosts({ hosts: config.hosts, workloadDomain, listensOn: config.host }),
    gatekeeper: createGatekeeper({ authenticator, cache, brand, scopeOf: callScope }),
    triggers: triggerKeeper,
    previews: createPreviewGate({
      cache,
      brand,
      lookUpToken: createTokenLookup({ database: strangers, lane: strangerLane }),
    }),
    serveTaskData: createServeTaskData({
      key: await gatewayKey(database, 'task-data'),
      data: createTaskData({ database, lane: callerLookups }),
      brand,
    }),
    serveTrigger: createServeTrigger({
      ...{ brand, callers, calls, isTrusted, cache: triggers },
      gatekeeper: triggerKeeper,
      start: createStartExecution({ database: starts, limits, random: Math.random, notifyOutbox, lanes }),
    }),
    serveCall: asyncCalls.serve,
    serveModel: models.serve,
  });
  const { tls } = config;
  const server = createGatewayServer({
    handle: walk,
    refusal: (status) => refusal(status, context),
    tls: tls === undefined ? undefined : { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) },
    maxHeaderBytes: config.limits.headerBytes,
    headersTimeoutMs: 30_000,
    keepAliveMs: 65_000,
    logger,
  });
  const { port } = await server.listen(config.port, config.host);
  return {
    address: `${tls === undefined ? 'http' : 'https'}://${config.host}:${port}`,
    ready: () => readyWhen('postgres', () => sql`select 1`.execute(database)),
    async stop() {
      await Promise.all([server.stop(drainMs), asyncCalls.stop(drainMs)]);
      streams.close();
      await Promise.all([forwarder.close(), models.close(), cache.close(), demand.close(), calls.close()]);
      await Promise.all([connector.close(), counts?.close()]);
      await usage?.close();
      credentials.close();
      await Promise.all([database, people, strangers, starts, sums].map((pool) => pool.destroy()));
    },
  };
}

/** Requests the certificate at once, so that the first request to another machine does not wait for it. */
function openCredentials(database: Database, logger: Logger, registry: Registry): Credentials {
  const credentials = createCredentials({
    authorityPem: () => loadNodeAuthorityCertificate(database),
    certify: (publicKey, signal) => certifyGateway(database, publicKey, signal),
    logger,
  });
  credentials.current().catch((err: unknown) => {
    const event = 'gateway.certificate_failed';
    logger.warn({ err, event }, 'certificate request failed; it is repeated with the next request');
  });
  createCertificateMetric(registry, () =>
    credentials.certificate === undefined ? {} : { 'ingress-caller': credentials.certificate },
  );
  return credentials;
}

/** Demand rows live for one idle time: by then a successor of this gateway has written its own. */
function openDemandTracker(
  database: Database,
  notifyOutbox: () => void,
  { requestsPerInstance, idleSeconds }: GatewayOptions['scaling'],
  logger: Logger,
) {
  const gatewayId = uuidv7();
  return createDemandTracker({
    requestsPerInstance,
    idleMs: idleSeconds * 1_000,
    logger,
    async write(entries) {
      await writeDemand(database, { gatewayId, lifeSeconds: idleSeconds }, entries);
      if (entries.some(({ isChange }) => isChange)) notifyOutbox();
    },
  });
}

const refusalCodes: Readonly<Record<RefusalStatus, GatewayCode>> = {
  400: 'BAD_REQUEST',
  408: 'REQUEST_TIMEOUT',
  431: 'REQUEST_HEADERS_TOO_LARGE',
  500: 'INTERNAL_ERROR',
};

/** Response for input that never became a request and therefore has no id. */
function refusal(status: RefusalStatus, context: { brand: Brand; docsUrl: string }): Refusal {
  const answer = errorAnswer(refusalCodes[status], { ...context, requestId: 'none', now: Date.now() });
  const { 'Content-Length': _length, ...headers } = answer.headers;
  return { headers: Object.entries(headers).flat(), body: answer.body };
}

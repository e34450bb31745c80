// The whole gateway except its connector to instances, which each test supplies.
import { randomBytes, randomUUID } from 'node:crypto';
import { bytesPerMb } from '@berth/contract';
import { createLookupLane, createNotifier, outboxChannel } from '@berth/database';
import {
  type CallerLimitOptions,
  createAuthenticator,
  createCallerLimits,
  createKeyring,
  gatewayKey,
  type MasterKeyRing,
} from '@berth/identity';
import { createMetricsRegistry, type Logger, type Registry, type SpanSink } from '@berth/telemetry';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { createGatekeeper } from '../src/access/gatekeeper.ts';
import { rateRefusal } from '../src/access/rate-refusal.ts';
import { createStickyCookies } from '../src/access/sticky-cookie.ts';
import { type CallLog, createCallLog } from '../src/audit/call-log.ts';
import { insertCalls, updateCalls } from '../src/audit/write-calls.ts';
import type { RequestCounts } from '../src/counts/request-counts.ts';
import { createDemandTracker } from '../src/demand/demand-tracker.ts';
import { WaitingList } from '../src/demand/waiting-list.ts';
import { writeDemand } from '../src/demand/write-demand.ts';
import { createGatewayServer } from '../src/http/gateway-server.ts';
import type { ModelPrices } from '../src/limits/model-prices.ts';
import { openModels } from '../src/models/open-models.ts';
import { createPreviewGate } from '../src/previews/preview-gate.ts';
import { createTokenLookup } from '../src/previews/token-lookup.ts';
import type { Connector } from '../src/proxy/connector.ts';
import { createForwarder, type Forwarder } from '../src/proxy/forwarder.ts';
import { createUpgrader } from '../src/proxy/upgrader.ts';
import { ownHosts } from '../src/routing/own-hosts.ts';
import { createWorkloadCache } from '../src/routing/workload-cache.ts';
import { createChooser } from '../src/serve/chooser.ts';
import { createHandle } from '../src/serve/handle.ts';
import { type OpenCallsOptions, openCalls } from '../src/serve/open-calls.ts';
import { createOpenStreams, type OpenStreams } from '../src/serve/open-streams.ts';
import { createPassOn } from '../src/serve/pass-on.ts';
import { createRequestMetrics } from '../src/serve/request-metrics.ts';
import { createWalk } from '../src/serve/walk.ts';
import { createServeTaskData } from '../src/tasks/serve-task-data.ts';
import { createTaskData, type TaskDataOptions } from '../src/tasks/task-data.ts';
import { createServeTrigger } from '../src/triggers/serve-trigger.ts';
import { createStartExecution, type StartExecutionOptions } from '../src/triggers/start-execution.ts';
import { createTriggerCache } from '../src/triggers/trigger-cache.ts';
import { triggerScope } from '../src/triggers/trigger-scope.ts';
import { callScope } from '../src/workloads/call-scope.ts';
import type { SandboxRules } from '../src/workloads/target.ts';
import { type ApiWithWorkloads, silent } from './api-with-workloads.ts';

const brand = conformanceBrand();

export interface TestGatewayOptions {
  readonly patienceMs?: number;
  readonly maxWaiting?: number;
  readonly sandboxes?: SandboxRules;
  readonly browserOrigins?: readonly string[];
  readonly silentMs?: number;
  readonly limits?: { readonly jsonBytes: number; readonly multipartPartBytes?: number };
  readonly logger?: Logger;
  readonly spans?: SpanSink;
  /** Receives no notices, so it only learns of a change by a query. */
  readonly isDeaf?: boolean;
  readonly isTrusted?: (address: string) => boolean;
  readonly taskData?: Partial<TaskDataOptions>;
  readonly starts?: Partial<StartExecutionOptions>;
  readonly counts?: RequestCounts;
  /** Without `atOnce` it accepts calls and performs none. */
  readonly asyncCalls?: Partial<OpenCallsOptions>;
  readonly models?: {
    readonly masterKeys?: MasterKeyRing | 'none';
    /** Time in which a provider has to begin its answer, and between its bytes. */
    readonly providerMs?: number;
    readonly prices?: ModelPrices;
    readonly addresses?: Readonly<Record<string, string>>;
  };
  readonly callers?: Partial<Pick<CallerLimitOptions, 'perKey' | 'perAddress' | 'now'>>;
}

const unlimited = { perSecond: 0, burst: 1 };

export interface TestGateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly registry: Registry;
  readonly forwarder: Forwarder;
  readonly calls: CallLog;
  readonly streams: OpenStreams;
}

export async function startTestGateway(
  { database, api }: Pick<ApiWithWorkloads, 'database' | 'api'>,
  connector: Connector,
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const { isTrusted = () => false } = options;
  const { patienceMs = 10_000, maxWaiting = 100, silentMs = 10_000, logger = silent } = options;
  const registry = createMetricsRegistry({ role: 'gateway' });
  // No server listens on port 1.
  const databaseUrl = options.isDeaf ? 'postgres://nobody@127.0.0.1:1/none' : api.databaseUrl;
  const catalogue = createWorkloadCache({ database, databaseUrl, logger: silent });
  const limits = { totalMs: 20_000, silentMs: 10_000 };
  const timeouts = { agent: limits, function: limits, sandbox: { totalMs: undefined, silentMs } };
  const shared = { connector, timeouts, logger, registry };
  const forwarder = createForwarder({ limits: { jsonBytes: bytesPerMb, ...options.limits }, ...shared });
  const demand = createDemandTracker({
    ...{ requestsPerInstance: 10, idleMs: 60_000, logger },
    write: (entries) => writeDemand(database, { gatewayId: randomUUID(), lifeSeconds: 60 }, entries),
  });
  const calls = createCallLog({
    insert: (entries) => insertCalls(database, entries),
    update: (entries) => updateCalls(database, entries),
    logger,
  });
  const waiting = new WaitingList(maxWaiting);
  const streams = createOpenStreams();
  const authenticator = createAuthenticator(database);
  const callers = createCallerLimits({
    ...{ perKey: unlimited, perAddress: unlimited, ...options.callers },
    ...{ isTrusted, refuse: rateRefusal },
  });
  const triggers = createTriggerCache(catalogue.notices, { database, logger: silent });
  const { masterKeys = api.masterKeys, providerMs = 20_000, prices = [], addresses = {} } = options.models ?? {};
  const models = openModels({
    ...{
      brand,
      callers,
      calls,
      isTrusted,
      streams,
      authenticator,
      database,
      limitDatabase: database,
      logger,
      registry,
    },
    ...{ notices: catalogue.notices, addresses, prices, allowedRanges: ['127.0.0.0/8'], maxBodyBytes: bytesPerMb },
    ...{ answerMs: providerMs, silentMs: providerMs },
    keyring: masterKeys === 'none' ? undefined : createKeyring(masterKeys),
  });
  // A stopped clock: on a busy machine no start is refused for its wait.
  const startLane = { maxRunning: 1, maxWaiting: 200, now: () => 0 };
  const startLanes = { caller: createLookupLane(startLane), stranger: createLookupLane(startLane) };
  const metrics = createRequestMetrics(registry);
  const handle = createHandle({
    brand,
    docsUrl: '/docs',
    logger,
    metrics,
    counts: options.counts,
    spans: options.spans,
  });
  const passOn = createPassOn({
    ...{ forwarder, demand, cache: catalogue, streams, waiting, metrics, retryForMs: patienceMs },
    traces: options.spans && { brand, spans: options.spans },
    upgrader: createUpgrader(shared),
    chooser: createChooser({
      ...{ brand, cache: catalogue, demand, holdMs: patienceMs, waiting, random: Math.random },
      cookies: createStickyCookies({ key: randomBytes(32), brand }),
    }),
  });
  const triggerKeeper = createGatekeeper({ authenticator, cache: triggers, brand, scopeOf: triggerScope });
  const asyncCalls = openCalls({
    ...{
      database,
      storing: { database, lanes: startLanes },
      brand,
      handle,
      passOn,
      cache: catalogue,
      logger,
      registry,
    },
    ...{ atOnce: 0, perAgent: 32, leaseMs: 30_000, pollMs: 50, maxBodyBytes: bytesPerMb, ...options.asyncCalls },
  });
  const walk = createWalk({
    ...{ brand, workloadDomain: 'example.org', handle, passOn, calls, cache: catalogue },
    isOwnHost: ownHosts({ hosts: undefined, workloadDomain: 'example.org', listensOn: '127.0.0.1' }),
    sandboxes: options.sandboxes ?? { undeclaredPorts: 'refuse' },
    gatekeeper: createGatekeeper({ authenticator, cache: catalogue, brand, scopeOf: callScope }),
    triggers: triggerKeeper,
    previews: createPreviewGate({
      cache: catalogue,
      brand,
      lookUpToken: createTokenLookup({ database, lane: { maxWaiting: 100 } }),
    }),
    serveTaskData: createServeTaskData({
      key: await gatewayKey(database, 'task-data'),
      data: createTaskData({
        ...{ database, lane: createLookupLane({ maxRunning: 2, maxWaiting: 1_000 }) },
        ...options.taskData,
      }),
      brand,
    }),
    serveTrigger: createServeTrigger({
      ...{ brand, callers, calls, isTrusted, cache: triggers },
      gatekeeper: triggerKeeper,
      start: createStartExecution({
        ...{ database, limits: { limits: {}, tiers: {} }, random: Math.random },
        lanes: startLanes,
        notifyOutbox: createNotifier(database, outboxChannel),
        ...options.starts,
      }),
    }),
    serveCall: asyncCalls.serve,
    serveModel: models.serve,
    ...{ callers, isTrusted, browserOrigins: options.browserOrigins ?? [] },
  });
  const server = createGatewayServer({
    ...{ handle: walk, maxHeaderBytes: 16_384, headersTimeoutMs: 5_000, keepAliveMs: 5_000, logger },
    refusal: () => ({ headers: [], body: '' }),
  });
  const { port } = await server.listen(0, '127.0.0.1');
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, registry, forwarder, calls, streams },
    async [Symbol.asyncDispose]() {
      await server.stop(0);
      await asyncCalls.stop(0);
      streams.close();
      await forwarder.close();
      await models.close();
      await demand.close();
      await calls.close();
      await catalogue.close();
    },
  };
}

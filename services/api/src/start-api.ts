// The api role: connects to the database, checks that its keys can be opened, listens, and runs the maintenance that
// bounds the database's growth.
import { headerNames, noProviderSettings, type ProviderSettings } from '@berth/contract';
import {
  connect,
  createNotifier,
  instancesChannel,
  loadDeploymentEpoch,
  maintain,
  outboxChannel,
  routesChannel,
} from '@berth/database';
import {
  createAuthenticator,
  createCallerLimits,
  createDriveTokens,
  createKeyring,
  type MasterKeyRing,
  trustedProxies,
} from '@berth/identity';
import type { PlacementConfig } from '@berth/instances';
import { type Logger, type ReadyReport, type Registry, readyWhen, type SpanSink } from '@berth/telemetry';
import { openUsage } from '@berth/usage';
import { sql } from 'kysely';
import type { ApiConfig } from './config.ts';
import type { Dependencies } from './dependencies.ts';
import { handlers } from './handlers.ts';
import { createAccountSettings } from './http/account-settings.ts';
import { createConnectionShares } from './http/connection-shares.ts';
import { createServer } from './http/create-server.ts';
import { addDocumentation } from './http/documentation.ts';
import { prefix } from './http/known-paths.ts';
import { createLargeBodies } from './http/large-bodies.ts';
import { rateRefusal } from './http/rate-refusal.ts';
import { createRequestLog } from './http/request-log.ts';
import { serveInstall } from './install/serve-install.ts';
import { createProviderCalls } from './integrations/provider-calls.ts';
import { LogWaits } from './logs/log-waits.ts';
import { startNodeListener } from './nodes/start-node-listener.ts';
import { watchDeployments } from './sandboxes/deployment-watch.ts';
import { createRunnerCalls } from './sandboxes/runner-calls.ts';

export interface ApiOptions {
  readonly config: ApiConfig;
  readonly placement: PlacementConfig;
  readonly databaseUrl: string;
  readonly masterKeys: MasterKeyRing;
  readonly providers?: ProviderSettings;
  /** Without a URL, output of workloads is not stored. */
  readonly clickhouse?: { readonly url?: string | undefined; readonly logRetentionDays?: number };
  readonly logger: Logger;
  readonly registry: Registry;
  /** Absent without a collector. */
  readonly spans?: SpanSink | undefined;
  readonly now?: () => number;
  /** Interval at which the node listener's certificate is checked; one hour when absent. */
  readonly certificateCheckMs?: number;
}

export interface RunningApi {
  readonly address: string;
  /** Address for runners; absent when this api accepts none. */
  readonly nodeAddress: string | undefined;
  ready(): Promise<ReadyReport>;
  stop(): Promise<void>;
}

const maintenanceMs = 60 * 60 * 1000;
/**
 * Share of all connections that the requests of one account may hold. A larger share made other accounts wait for the
 * database's cores and gained the account nothing.
 */
const connectionShare = 0.2;

export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { config, placement, databaseUrl, masterKeys, clickhouse, logger, registry, now = Date.now } = options;
  const database = connect({
    url: databaseUrl,
    maxConnections: config.databaseConnections,
    applicationName: 'berth-api',
    statementMs: config.statementSeconds * 1_000,
    onIdleError: (error) => logger.warn({ err: error }, 'idle database connection broke; the pool opens another'),
  });
  const { isRehearsal } = await loadDeploymentEpoch(database);
  if (isRehearsal) logger.warn('the database is a copy for a rehearsal; this api takes no runners');
  const keyring = createKeyring(masterKeys);
  // Opened before the first request: a wrong master key stops the start, and no transaction has to wait for a second
  // connection.
  await keyring.deploymentKey(database, 'cursor');
  await keyring.deploymentKey(database, 'idempotency');
  await keyring.deploymentKey(database, 'runner-calls');
  const usage =
    clickhouse?.url === undefined
      ? undefined
      : openUsage({ ...clickhouse, url: clickhouse.url, logger, registry, now });
  const expected = config.publicUrl ?? `http://${config.host}:${config.port}`;
  const dependencies: { -readonly [K in keyof Dependencies]: Dependencies[K] } = {
    config,
    headers: headerNames(config.brand),
    database,
    authenticator: createAuthenticator(database),
    callers: createCallerLimits({
      ...config.rateLimits,
      isTrusted: trustedProxies(config.trustedProxies),
      refuse: rateRefusal,
    }),
    accounts: createAccountSettings(database),
    keyring,
    driveTokens: createDriveTokens(database, masterKeys, { issuer: expected }),
    connectionShares: createConnectionShares(
      config.connectionsPerAccount ?? Math.max(1, Math.floor(config.databaseConnections * connectionShare)),
    ),
    longListings: createConnectionShares(1),
    largeBodies: createLargeBodies({ mbPerSecond: config.largeBodyMbPerSecond }),
    usage,
    apiUrl: expected,
    baseUrl: `${expected}${prefix}`,
    notifyOutbox: createNotifier(database, outboxChannel, (err) =>
      logger.warn({ err }, 'outbox notification failed; the relay finds the rows by polling'),
    ),
    notifyRoutes: createNotifier(database, routesChannel, (err) =>
      logger.warn({ err }, 'route notification failed; gateways find the change by polling'),
    ),
    notifyInstances: createNotifier(database, instancesChannel, (err) =>
      logger.warn({ err }, 'instance notification failed; the node stream finds the change by polling'),
    ),
    placement,
    deployments: watchDeployments({ database, databaseUrl, logger }),
    runners: createRunnerCalls({ database, keyring, masterKeys, logger }),
    providers: createProviderCalls(options.providers ?? noProviderSettings),
    logWaits: new LogWaits(),
    now,
  };
  const server = createServer(handlers, dependencies, createRequestLog(logger, registry, options.spans));
  await addDocumentation(server, dependencies);
  serveInstall(server, dependencies);
  const listening = await server.listen({ host: config.host, port: config.port });
  if (config.publicUrl === undefined) {
    dependencies.apiUrl = listening;
    dependencies.baseUrl = `${dependencies.apiUrl}${prefix}`;
  }
  const nodes =
    config.node.enabled && !isRehearsal
      ? await startNodeListener({
          ...{ config: config.node, databaseUrl, masterKeys, dependencies, logger, registry },
          certificateCheckMs: options.certificateCheckMs,
        })
      : undefined;
  const runMaintenance = () =>
    maintainApart(options).catch((error: unknown) =>
      logger.warn({ err: error }, 'maintenance failed; retrying in an hour'),
    );
  void runMaintenance();
  const maintenance = setInterval(runMaintenance, maintenanceMs);
  return {
    address: dependencies.apiUrl,
    nodeAddress: nodes?.address,
    ready: () => readyWhen('postgres', () => sql`select 1`.execute(database)),
    stop: async () => {
      clearInterval(maintenance);
      await nodes?.stop();
      // Requests that wait for a sandbox or for lines are answered first, because `server.close` waits for them.
      dependencies.logWaits.close();
      await dependencies.deployments.close();
      await server.close();
      dependencies.runners.close();
      await usage?.close();
      await database.destroy();
    },
  };
}

/** Uses its own connection, because a batch of the removal may take longer than the statement timeout of requests. */
async function maintainApart({ config, databaseUrl }: ApiOptions): Promise<void> {
  const database = connect({ url: databaseUrl, maxConnections: 1, applicationName: 'berth-api-maintenance' });
  try {
    await maintain(database, { executionDays: config.executionRetentionDays });
  } finally {
    await database.destroy();
  }
}

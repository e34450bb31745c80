import { hostname } from 'node:os';
import {
  createLogger,
  createMetricsRegistry,
  exportSpans,
  type HealthServer,
  type Logger,
  type logLevels,
  notReady,
  type ReadyReport,
  type Registry,
  type SpanExport,
  startHealthServer,
} from '@berth/telemetry';
import { ownVersion } from './own-version.ts';
import type { RunningRole, ServerRole } from './roles/server-role.ts';

export type StartedRole = {
  name: string;
  address: string | undefined;
  healthUrl: string;
  /** Makes /readyz fail, so that load balancers stop sending requests while the role still answers. */
  drain(): void;
  stop(): Promise<void>;
  close(): Promise<void>;
};

type StartOptions = {
  config: Readonly<Record<string, unknown>>;
  log: { level: (typeof logLevels)[number] };
  health: { host: string; port: number };
  otlp: { url?: string | undefined; headers: Readonly<Record<string, string>>; ratio: number };
};

/** The health server starts before the role and stops after it, so that slow starts and stops can be watched. */
export async function startRole(role: ServerRole, { config, log, health, otlp }: StartOptions): Promise<StartedRole> {
  const logger: Logger = createLogger({ role: role.name }, log);
  const registry = createMetricsRegistry({ role: role.name });
  const spans = openSpans(role.name, otlp, registry, logger);
  let ready: () => Promise<ReadyReport> = async () => notReady('role', 'starting');
  const server: HealthServer = await startHealthServer({ ...health, registry, ready: () => ready() });

  let running: RunningRole;
  try {
    running = await role.start(config, { logger, registry, spans });
  } catch (error) {
    await Promise.all([server.close(), spans?.close()]);
    throw error;
  }
  ready = () => running.ready();
  return {
    name: role.name,
    address: running.address,
    healthUrl: server.url,
    drain() {
      ready = async () => notReady('role', 'stopping');
    },
    stop: () => running.stop(),
    async close() {
      await Promise.all([server.close(), spans?.close()]);
    },
  };
}

function openSpans(
  role: string,
  { url, headers, ratio }: StartOptions['otlp'],
  registry: Registry,
  logger: Logger,
): SpanExport | undefined {
  if (url === undefined) return undefined;
  const host = hostname();
  const resource = {
    'service.namespace': 'berth',
    'service.name': `berth-${role}`,
    'service.version': ownVersion(),
    'service.instance.id': `${host}-${process.pid}`,
    'host.name': host,
  };
  return exportSpans({ url, headers, ratio, resource, registry, logger });
}

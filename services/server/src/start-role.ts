import {
  createLogger,
  createMetricsRegistry,
  type HealthServer,
  type Logger,
  type logLevels,
  notReady,
  type ReadyReport,
  startHealthServer,
} from '@berth/telemetry';
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
};

/** The health server starts before the role and stops after it, so that slow starts and stops can be watched. */
export async function startRole(role: ServerRole, { config, log, health }: StartOptions): Promise<StartedRole> {
  const logger: Logger = createLogger({ role: role.name }, log);
  const registry = createMetricsRegistry({ role: role.name });
  let ready: () => Promise<ReadyReport> = async () => notReady('role', 'starting');
  const server: HealthServer = await startHealthServer({ ...health, registry, ready: () => ready() });

  let running: RunningRole;
  try {
    running = await role.start(config, { logger, registry });
  } catch (error) {
    await server.close();
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
    close: () => server.close(),
  };
}

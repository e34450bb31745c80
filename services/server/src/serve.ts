import type { Logger } from '@berth/telemetry';
import type { ServerRole } from './roles/server-role.ts';
import type { loadServerConfig } from './server-config.ts';
import { type StartedRole, startRole } from './start-role.ts';
import { stopRoles } from './stop-roles.ts';

/** Runs until a stop signal; the exit code is 0 when all roles stopped cleanly. */
export async function serve(
  roles: readonly ServerRole[],
  config: ReturnType<typeof loadServerConfig>,
  logger: Logger,
): Promise<number> {
  const signal = nextSignal();
  const started: StartedRole[] = [];
  const { deadlineSeconds } = config.shutdown;
  try {
    for (const role of roles) {
      const port = config.health.ports[role.name] ?? role.healthPort;
      const health = { host: config.health.host, port };
      const running = await startRole(role, {
        ...{ config: config.sections, log: config.log, health },
        otlp: config.telemetry.otlp,
      });
      started.push(running);
      logger.info({ started: role.name, address: running.address, health: running.healthUrl }, 'role started');
    }
  } catch (error) {
    logger.error({ err: error }, 'role failed to start; stopping the others');
    await stopRoles(started, deadlineSeconds, logger);
    return 1;
  }
  logger.info({ roles: roles.map(({ name }) => name) }, 'ready');
  logger.info({ signal: await signal }, 'stopping');
  return (await stopRoles(started, deadlineSeconds, logger)) ? 0 : 1;
}

/** The first signal starts the stop; a second signal exits at once. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.on(name, () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        resolve(name);
      });
    }
  });
}

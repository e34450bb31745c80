import { logLevels } from '@berth/telemetry';
import { z } from 'zod';
import type { Role } from '../role.ts';

/** What every start reads, whichever roles it runs. */
export function serverSections(roles: readonly Role[]) {
  const ports: Record<string, z.ZodDefault<z.ZodInt>> = Object.fromEntries(
    roles.map(({ name, healthPort }) => [name, z.int().min(0).max(65_535).default(healthPort)]),
  );
  return {
    log: z.object({ level: z.enum(logLevels).default('info') }).prefault({}),
    health: z
      .object({
        // Not reachable from outside unless the operator says so: metrics tell much about a tenant.
        host: z.string().default('127.0.0.1'),
        ports: z.object(ports).prefault({}),
      })
      .prefault({}),
    shutdown: z
      .object({
        // Below the 30 seconds after which orchestrators kill.
        deadlineSeconds: z.number().positive().max(3_600).default(25),
      })
      .prefault({}),
  };
}

import { logLevels } from '@berth/telemetry';
import { z } from 'zod';

/** Sections that every start reads, whichever roles it runs. */
export function serverSections(roles: readonly { readonly name: string; readonly healthPort: number }[]) {
  const ports: Record<string, z.ZodDefault<z.ZodInt>> = Object.fromEntries(
    roles.map(({ name, healthPort }) => [
      name,
      z
        .int()
        .min(0)
        .max(65_535)
        .default(healthPort)
        .describe(`Port of the health and metrics pages of the ${name} role.`),
    ]),
  );
  return {
    log: z
      .object({ level: z.enum(logLevels).default('info').describe('Lowest level of log lines that are written.') })
      .prefault({}),
    health: z
      .object({
        // Not reachable from outside by default, because metrics reveal much about tenants.
        host: z.string().default('127.0.0.1').describe('Address of the health and metrics pages.'),
        ports: z.object(ports).prefault({}),
      })
      .prefault({}),
    telemetry: z
      .object({
        otlp: z
          .object({
            url: z
              .url({ protocol: /^https?$/ })
              .refine((url) => new URL(url).username === '', 'Expected no password; put it in telemetry.otlp.headers')
              .optional()
              .describe(
                'Address of an OpenTelemetry collector, such as `http://collector:4318`; spans go to `/v1/traces` there. Without it none are made.',
              ),
            headers: z
              .record(z.string(), z.string())
              .default({})
              .describe('Headers for the collector, such as `{authorization: Bearer …}`; may hold a secret.'),
            ratio: z
              .number()
              .min(0)
              .max(1)
              .default(1)
              .describe('Share of the traces whose spans are sent. Give all roles the same, or traces have gaps.'),
          })
          .prefault({}),
      })
      .prefault({}),
    shutdown: z
      .object({
        // Below the 30 seconds after which container orchestrators kill a process.
        deadlineSeconds: z
          .number()
          .positive()
          .max(3_600)
          .default(25)
          .describe('Seconds that a stop may take before the process exits without waiting.'),
      })
      .prefault({}),
  };
}

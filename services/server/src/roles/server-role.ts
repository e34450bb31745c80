import type { Logger, ReadyReport, Registry, SpanSink } from '@berth/telemetry';
import type { z } from 'zod';

export type RoleContext = {
  /** Bound to the role's name. */
  logger: Logger;
  /** Served on the role's /metrics. */
  registry: Registry;
  /** Absent without a collector. */
  spans?: SpanSink | undefined;
};

export type RunningRole = {
  /** Address of the role, if it listens. */
  address?: string;
  ready(): Promise<ReadyReport>;
  /** Stops taking work, finishes or hands over what is open, then resolves. */
  stop(): Promise<void>;
};

/** One service as the server sees it. Roles start in the order of the list and stop in reverse. */
export type ServerRole<Sections extends z.ZodRawShape = z.ZodRawShape> = {
  name: string;
  /** Default port of the role's own /healthz, /readyz and /metrics; `health.ports.<name>` in the config changes it. */
  healthPort: number;
  /** The only sections of the config file that the role reads: a runner never sees a database password. */
  sections: Sections;
  /** Imports the service only when called: a runner needs neither the code nor the memory of an api. */
  start(config: z.output<z.ZodObject<Sections>>, context: RoleContext): Promise<RunningRole>;
};

/** Types `start` by the role's own sections, then widens the type so that all roles fit in one list. */
export function defineRole<Sections extends z.ZodRawShape>(role: ServerRole<Sections>): ServerRole {
  return role;
}

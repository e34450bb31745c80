// `executions.spec`: everything that an execution needs from its job and its request, copied at the start. Later changes
// of the job do not affect it.
import { z } from 'zod';

/** Settings fixed at the start. The column also holds `job`, a copy of the job's configuration for the runner. */
export const FixedSpec = z.object({
  /** Revision of the job that is copied; absent in executions of the previous release. */
  revision: z.string().optional(),
  parallelism: z.int(),
  timeoutSeconds: z.int(),
  maxRetries: z.int(),
  memoryOverrideMb: z.int().optional(),
  env: z.record(z.string(), z.object({ $sealed: z.string() })).optional(),
});
export type FixedSpec = z.infer<typeof FixedSpec>;

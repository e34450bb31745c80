// Settings that an execution copies from its job. They are fixed at the start: later changes of the job do not affect
// the execution.
import type { JsonObject } from '@berth/database';
import { z } from 'zod';

/** Defaults of control-plane sheet 4.7, for fields that the job leaves out. */
const Runtime = z.object({
  maxConcurrentTasks: z.int().default(10),
  maxRetries: z.int().default(0),
  memory: z.int().default(1024),
  timeout: z.int().default(900),
});

const JobSpec = z.object({ enabled: z.boolean().default(true), runtime: Runtime.prefault({}) });

export interface JobSettings {
  readonly enabled: boolean;
  readonly parallelism: number;
  readonly maxRetries: number;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}

export function jobSettings(spec: JsonObject): JobSettings {
  const { enabled, runtime } = JobSpec.parse(spec);
  return {
    enabled,
    parallelism: runtime.maxConcurrentTasks,
    maxRetries: runtime.maxRetries,
    memoryMb: runtime.memory,
    timeoutSeconds: runtime.timeout,
  };
}

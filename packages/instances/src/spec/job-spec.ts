// The parts of a stored job that decide where and how its tasks run. The contract validated them when they were written.
import { z } from 'zod';
import { WorkloadRuntime, WorkloadSpec } from './workload-spec.ts';

const JobVolume = z.object({
  name: z.string(),
  mountPath: z.string(),
  sizeMb: z.int(),
  readOnly: z.boolean().optional(),
});

/** The deployable part, stored in a revision and copied by executions. */
export const JobSpec = WorkloadSpec.extend({
  runtime: WorkloadRuntime.extend({ diskPercent: z.int().optional() }).prefault({}),
  volumes: z.array(JobVolume).default([]),
});
export type JobSpec = z.infer<typeof JobSpec>;

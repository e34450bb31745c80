import { z } from 'zod';
import { StoredValue } from './workload-spec.ts';

/** The parts of a stored spec that decide where and how a sandbox runs. */
export const SandboxSpec = z.object({
  region: z.string().optional(),
  runtime: z
    .object({
      image: z.string().optional(),
      memory: z.int().positive().optional(),
      generation: z.string().optional(),
      ports: z.array(z.object({ target: z.int(), protocol: z.string().optional() })).default([]),
      envs: z.array(z.object({ name: z.string(), value: StoredValue.optional() })).default([]),
      extraArgs: z.record(z.string(), z.unknown()).default({}),
      storageMb: z.number().optional(),
      dockerConfig: StoredValue.optional(),
    })
    .prefault({}),
  volumes: z.array(z.unknown()).default([]),
  vpc: z.string().optional(),
  lifecycle: z
    .object({ expirationPolicies: z.array(z.object({ type: z.string(), value: z.string() })).default([]) })
    .prefault({}),
});
export type SandboxSpec = z.infer<typeof SandboxSpec>;

// The parts of a stored spec that decide where and how a workload runs. The contract
// validated them when they were written.
import { z } from 'zod';

export const StoredValue = z.union([z.string(), z.object({ $sealed: z.string() })]);
export type StoredValue = z.infer<typeof StoredValue>;

export const WorkloadRuntime = z.object({
  image: z.string().optional(),
  memory: z.int().positive().optional(),
  minScale: z.int().nonnegative().optional(),
  maxScale: z.int().nonnegative().optional(),
  generation: z.string().optional(),
  ports: z.array(z.object({ target: z.int() })).optional(),
  envs: z.array(z.object({ name: z.string(), value: StoredValue.optional() })).optional(),
});

/** The deployable part, stored in a revision. */
export const WorkloadSpec = z.object({
  region: z.string().optional(),
  policies: z.array(z.string()).default([]),
  integrationConnections: z.array(z.string()).default([]),
  runtime: WorkloadRuntime.prefault({}),
});
export type WorkloadSpec = z.infer<typeof WorkloadSpec>;

/** The part stored in the resource: which revisions take traffic, and whether any does. */
export const TrafficSpec = z.object({
  enabled: z.boolean().default(true),
  revision: z
    .object({
      active: z.string().optional(),
      canary: z.string().optional(),
      canaryPercent: z.number().default(0),
    })
    .prefault({}),
});

export const ConnectionSpec = z.object({
  config: z.record(z.string(), StoredValue).default({}),
  secret: z.record(z.string(), StoredValue).default({}),
});

/**
 * Minimum and maximum number of instances of a revision. The maximum is at least one, or the revision could not serve.
 */
export function instanceLimits(
  { runtime }: WorkloadSpec,
  defaultMax: number,
): { minInstances: number; maxInstances: number } {
  const { minScale = 0, maxScale } = runtime;
  const maxInstances = Math.max(1, maxScale ?? Math.max(defaultMax, minScale));
  return { minInstances: Math.min(minScale, maxInstances), maxInstances };
}

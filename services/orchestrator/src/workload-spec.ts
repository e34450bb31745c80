// The parts of a stored spec that decide where and how a workload runs. The contract checked them when they came in.
import type { IsolationClass } from '@berth/contract';
import { z } from 'zod';

const Value = z.union([z.string(), z.object({ $sealed: z.string() })]);
export type StoredValue = z.infer<typeof Value>;

const Runtime = z.object({
  image: z.string().optional(),
  memory: z.int().positive().optional(),
  minScale: z.int().nonnegative().optional(),
  maxScale: z.int().nonnegative().optional(),
  generation: z.string().optional(),
  ports: z.array(z.object({ target: z.int() })).optional(),
  envs: z.array(z.object({ name: z.string(), value: Value.optional() })).optional(),
});

/** Of a revision: what is deployed. */
export const WorkloadSpec = z.object({
  region: z.string().optional(),
  policies: z.array(z.string()).default([]),
  integrationConnections: z.array(z.string()).default([]),
  runtime: Runtime.prefault({}),
});
export type WorkloadSpec = z.infer<typeof WorkloadSpec>;

/** Of the resource: which revisions take traffic, and whether any does. */
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
  config: z.record(z.string(), Value).default({}),
  secret: z.record(z.string(), Value).default({}),
});

/** One by default: a workload that may scale to zero has to come up once before it counts as deployed. */
export function instanceCount({ runtime: { minScale = 0, maxScale } }: WorkloadSpec): number {
  const wanted = Math.max(1, minScale);
  return maxScale === undefined ? wanted : Math.min(wanted, Math.max(1, maxScale));
}

/** The newer generation is the isolated one; absent means the newest. */
export const preferredIsolation = ({ runtime }: WorkloadSpec): IsolationClass =>
  runtime.generation === 'mk2' ? 'runc' : 'gvisor';

// What a runner is asked to run, and what it says about it. A runner knows nothing else of a deployment: no account, no
// database, no other machine's work.
import { z } from 'zod';

export const isolationClasses = ['runc', 'gvisor'] as const;
export const IsolationClass = z.enum(isolationClasses);
export type IsolationClass = z.infer<typeof IsolationClass>;

/** One run of one revision on one runner. Everything in it is fixed for its whole life; its id is never used again. */
export const DesiredInstance = z.object({
  id: z.uuid(),
  workspaceId: z.uuid(),
  resource: z.object({ uid: z.uuid(), kind: z.string(), name: z.string() }),
  revision: z.string(),
  image: z.string(),
  isolation: IsolationClass,
  memoryMb: z.int().positive(),
  /** Cores it may use at most; a runner with fewer gives what it has. */
  cpus: z.number().positive(),
  /** What must accept connections before it counts as ready. */
  port: z.int().min(1).max(65_535),
  env: z.record(z.string(), z.string()),
  startTimeoutSeconds: z.number().positive(),
});
export type DesiredInstance = z.infer<typeof DesiredInstance>;

/** Why an instance could not be brought up; the message beside it is for people. */
export const failureCodes = [
  'image_missing',
  'image_refused',
  'image_unavailable',
  'port_closed',
  'crash_loop',
  'out_of_memory',
  'start_failed',
] as const;
export const FailureCode = z.enum(failureCodes);
export type FailureCode = z.infer<typeof FailureCode>;

/**
 * What a runner sees of an instance.
 * - `failed`: it gave up; it waits to be told that the instance may go.
 * - `gone`: nothing of it is left here, or there never was anything.
 */
export const instanceStates = ['pulling', 'starting', 'ready', 'failed', 'gone'] as const;
export const InstanceState = z.enum(instanceStates);
export type InstanceState = z.infer<typeof InstanceState>;

/** Milliseconds spent in each stage of bringing the instance up. */
export const InstanceStages = z.object({
  pull: z.number().optional(),
  create: z.number().optional(),
  start: z.number().optional(),
  ready: z.number().optional(),
});

export const InstanceReport = z.object({
  instance: z.uuid(),
  /** Grows with every report of a session; a report that is not newer than the last one recorded changes nothing. */
  sequence: z.int().nonnegative(),
  state: InstanceState,
  code: FailureCode.optional(),
  /** For people: progress of a pull, or what went wrong and what to do. */
  message: z.string().max(2_000).optional(),
  /** How often its process was started. */
  starts: z.int().nonnegative(),
  /** Where it answers, inside its runner's network. */
  address: z.string().max(64).optional(),
  stages: InstanceStages.optional(),
});
export type InstanceReport = z.infer<typeof InstanceReport>;

/** The part of it that is decided with its placement and stored; the environment is kept apart, its secrets sealed. */
export const InstanceSpec = DesiredInstance.omit({ id: true, workspaceId: true, revision: true, env: true });
export type InstanceSpec = z.infer<typeof InstanceSpec>;

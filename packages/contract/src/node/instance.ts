// What a runner is asked to run, and what it says about it. A runner knows nothing else of a deployment: no account, no
// database, no other machine's work.
import { z } from 'zod';

export const isolationClasses = ['runc', 'gvisor'] as const;
export const IsolationClass = z.enum(isolationClasses);
export type IsolationClass = z.infer<typeof IsolationClass>;

/** What makes an instance a sandbox: its first process is the guest, it sleeps when nobody uses it, and it may change in place. */
export const SandboxWish = z.object({
  /** Sleeps after so long without a connection or a keepAlive process. */
  idleSeconds: z.number().positive(),
  /** Has expired after so long without real use; the runner says so, since it alone knows. */
  expiresIdleSeconds: z.number().positive().optional(),
});
export type SandboxWish = z.infer<typeof SandboxWish>;

/** A VPC that the workspace made. Its members reach each other on the ports that each declares, and on no other. */
const InstanceVpc = z.object({
  name: z.string().min(1).max(100),
  ports: z.array(z.object({ protocol: z.enum(['tcp', 'udp']), port: z.int().min(1).max(65_535) })).max(1_000),
});

export const imageOrigins = ['deployment', 'workspace', 'outside'] as const;

/**
 * Whose an image is. It decides whether the operator's password, and a copy that is on the machine, may be used.
 * - `deployment`: the operator offers it to every workspace;
 * - `workspace`: it is in the workspace's folder of the deployment's registry;
 * - `outside`: whatever a tenant may name.
 */
export const ImageSource = z.object({
  origin: z.enum(imageOrigins),
  /** For whom it is pulled while the instance has no owner yet. */
  workspaceId: z.uuid().optional(),
  /** The operator lists its registry, which may then be in a private network. */
  isListed: z.boolean().optional(),
});
export type ImageSource = z.infer<typeof ImageSource>;

/**
 * One run of one revision on one runner; its id is never used again. Image, isolation and port are fixed for its whole life.
 * Of a sandbox the rest may change, each time under a higher generation, and is applied to what runs.
 */
export const DesiredInstance = z.object({
  id: z.uuid(),
  generation: z.int().positive().default(1),
  /** Whose it is. A sandbox that was made ahead has neither until it is claimed: it speaks to nobody. */
  workspaceId: z.uuid().optional(),
  resource: z.object({ uid: z.uuid(), kind: z.string(), name: z.string() }).optional(),
  revision: z.string(),
  image: z.string(),
  /** Absent from an older api: then the image is an outside one. */
  imageSource: ImageSource.optional(),
  isolation: IsolationClass,
  memoryMb: z.int().positive(),
  /** Cores it may use at most; a runner with fewer gives what it has. */
  cpus: z.number().positive(),
  /** What must accept connections before it counts as ready. */
  port: z.int().min(1).max(65_535),
  env: z.record(z.string(), z.string()),
  startTimeoutSeconds: z.number().positive(),
  sandbox: SandboxWish.optional(),
  /** Absent: it reaches no other instance, and none reaches it. */
  vpc: InstanceVpc.optional(),
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
  'disk_full',
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
  /** The newest that is applied; absent before the first. */
  generation: z.int().positive().optional(),
  /** Of a sandbox that is ready: whether it is awake, and how long ago somebody used it. */
  awake: z.boolean().optional(),
  usedMsAgo: z.number().nonnegative().optional(),
  /** Nobody has used it for `expiresIdleSeconds`. */
  isExpired: z.boolean().optional(),
});
export type InstanceReport = z.infer<typeof InstanceReport>;

/** The part of it that is decided with its placement and stored; the environment is kept apart, its secrets sealed. */
export const InstanceSpec = DesiredInstance.omit({
  id: true,
  generation: true,
  workspaceId: true,
  revision: true,
  env: true,
});
export type InstanceSpec = z.infer<typeof InstanceSpec>;

// Instances that a runner is asked to run, and its reports about them. A runner knows nothing else of a deployment: no
// account, no database, no work of other machines.
import { z } from 'zod';

export const isolationClasses = ['runc', 'gvisor'] as const;
export const IsolationClass = z.enum(isolationClasses);
export type IsolationClass = z.infer<typeof IsolationClass>;

/** Times after which an unused sandbox sleeps and expires. */
export const SandboxSettings = z.object({
  /** Idle timeout: the sandbox sleeps after this time without a connection or a keepAlive process. */
  idleSeconds: z.number().positive(),
  /**
   * The sandbox expires after this time without real use. The runner reports it, because only the runner knows the use.
   */
  expiresIdleSeconds: z.number().positive().optional(),
});
export type SandboxSettings = z.infer<typeof SandboxSettings>;

/** A VPC that the workspace created. Its members reach each other only on the ports that each of them declares. */
export const InstanceVpc = z.object({
  name: z.string().min(1).max(100),
  ports: z.array(z.object({ protocol: z.enum(['tcp', 'udp']), port: z.int().min(1).max(65_535) })).max(1_000),
});

export const imageOrigins = ['deployment', 'workspace', 'outside'] as const;

/**
 * Origin of an image. It decides whether the operator's password, and a copy on the machine, may be used.
 * - `deployment`: the operator offers it to every workspace;
 * - `workspace`: it is in the workspace's folder of the deployment's registry;
 * - `outside`: any other image that a tenant may name.
 */
export const ImageSource = z.object({
  origin: z.enum(imageOrigins),
  /** Workspace for which the image is pulled while the instance has no owner yet. */
  workspaceId: z.uuid().optional(),
  /** The operator lists the image's registry, which may then be in a private network. */
  isListed: z.boolean().optional(),
});
export type ImageSource = z.infer<typeof ImageSource>;

/** Workload that the instance runs for. */
export const InstanceResource = z.object({ uid: z.uuid(), kind: z.string(), name: z.string() });

/** Fields of an instance in every mode. */
const InstanceFields = z.object({
  id: z.uuid(),
  generation: z.int().positive().default(1),
  /**
   * Owner of the instance. A warm sandbox has neither workspace nor resource until it is claimed, and has no network
   * until then.
   */
  workspaceId: z.uuid().optional(),
  resource: InstanceResource.optional(),
  revision: z.string(),
  image: z.string(),
  /** Absent from an older api: the image then counts as `outside`. */
  imageSource: ImageSource.optional(),
  isolation: IsolationClass,
  memoryMb: z.int().positive(),
  /** Maximum number of cores; a runner with fewer cores gives what it has. */
  cpus: z.number().positive(),
  env: z.record(z.string(), z.string()),
  /** W3C trace of the request or handler call that led to this generation. */
  traceparent: z.string().max(100).optional(),
  /** Without a VPC the instance reaches no other instance, and no other instance reaches it. */
  vpc: InstanceVpc.optional(),
});

/** Fields of the modes in which an instance is ready once it answers on a port. */
const readiness = {
  /** Port that must accept connections before the instance counts as ready. */
  port: z.int().min(1).max(65_535),
  startTimeoutSeconds: z.number().positive(),
};

/** Runs the image's own command and takes connections. A new revision is a new instance. */
const ServeInstance = InstanceFields.extend({ mode: z.literal('serve'), ...readiness });
export type ServeInstance = z.infer<typeof ServeInstance>;

/** Runs the guest as its first process, sleeps when unused, and may change in place. */
const SandboxInstance = InstanceFields.extend({ mode: z.literal('sandbox'), ...readiness, sandbox: SandboxSettings });
export type SandboxInstance = z.infer<typeof SandboxInstance>;

/** A file system in the memory of a task. It counts towards `memoryMb` and is gone with the task. */
export const TaskVolume = z.object({
  mountPath: z.string(),
  sizeMb: z.int().positive(),
  readOnly: z.boolean(),
});
export type TaskVolume = z.infer<typeof TaskVolume>;

/**
 * Runs the image's own command once. It is never started a second time under the same id, so every run of a task has an
 * instance of its own. The runner keeps the container until the api has recorded how it ended.
 */
const TaskInstance = InstanceFields.extend({
  mode: z.literal('task'),
  /** Time after the start of the process at which the runner ends it. */
  timeoutSeconds: z.number().positive(),
  /** Time between SIGTERM and SIGKILL when the runner ends the process. */
  graceSeconds: z.number().nonnegative(),
  /**
   * Every runner that announces `maxTasks` mounts volumes, because both came with the same release. A runner that knows no
   * volumes announces no tasks and gets none, so no task runs without its volumes. A later field that a runner may not
   * ignore needs an announcement of its own in `Hello`.
   */
  volumes: z.array(TaskVolume).max(100).optional(),
  /**
   * Maximum disk space of the task's files, where the runner's own limit is not lower. A runner that does not read this field
   * applies its own limit alone.
   */
  diskMb: z.int().positive().optional(),
});
export type TaskInstance = z.infer<typeof TaskInstance>;

/**
 * Adds the mode to an instance of the previous release, which has none: there an instance with `sandbox` is a sandbox
 * and every other instance serves. The api of that release sends this form to an upgraded runner, and the rows that it
 * wrote to `instances.spec` stay for as long as their instances run. So this is needed until a migration sets `mode` in
 * those rows and no supported api omits it. SQL finds sandboxes by `spec ? 'sandbox'`, which is right for both forms.
 */
function withMode(instance: unknown): unknown {
  if (typeof instance !== 'object' || instance === null || 'mode' in instance) return instance;
  return { ...instance, mode: 'sandbox' in instance ? 'sandbox' : 'serve' };
}

/**
 * One run of one revision on one runner; its id is never used again. Mode, image, isolation and port are fixed for its
 * whole life. The other fields of a sandbox may change, each time under a higher generation, and are applied to the
 * running sandbox.
 */
export const DesiredInstance = z.preprocess(
  withMode,
  z.discriminatedUnion('mode', [ServeInstance, SandboxInstance, TaskInstance]),
);
export type DesiredInstance = z.infer<typeof DesiredInstance>;

const notInSpec = { id: true, generation: true, workspaceId: true, revision: true, env: true } as const;

/**
 * Part of `DesiredInstance` that is decided with the placement and stored. The environment is stored apart, with its
 * secrets sealed.
 */
export const InstanceSpec = z.preprocess(
  withMode,
  z.discriminatedUnion('mode', [
    ServeInstance.omit(notInSpec),
    SandboxInstance.omit(notInSpec),
    TaskInstance.omit(notInSpec),
  ]),
);
export type InstanceSpec = z.infer<typeof InstanceSpec>;

/** Reasons why an instance could not be brought up; the message beside the code is for people. */
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
 * States of an instance as its runner sees it.
 * - `ready`: it takes connections; the process of a task runs.
 * - `ended`: the task has ended, and waits for the order to remove it. Only a task reports it.
 * - `failed`: the runner gave up, and waits for the order to remove the instance.
 * - `gone`: nothing of the instance is left on the runner, or it was never there.
 */
export const instanceStates = ['pulling', 'starting', 'ready', 'ended', 'failed', 'gone'] as const;
export const InstanceState = z.enum(instanceStates);
export type InstanceState = z.infer<typeof InstanceState>;

/**
 * How a task ended.
 * - `exited`: its process ended by itself; the exit code says whether it succeeded.
 * - `timeout`: the runner ended it after `timeoutSeconds`.
 * - `lost`: its container is gone, and with it the exit code. The process may have run.
 * - The other reasons are those of `failureCodes`.
 */
export const taskEndReasons = [
  'exited',
  'timeout',
  'out_of_memory',
  'disk_full',
  'image_missing',
  'image_refused',
  'image_unavailable',
  'start_failed',
  'lost',
] as const;
export const TaskEndReason = z.enum(taskEndReasons);
export type TaskEndReason = z.infer<typeof TaskEndReason>;

/** Result of a task. Times are durations, because the clocks of runners are not synchronized with ours. */
export const TaskResult = z.object({
  reason: TaskEndReason,
  exitCode: z.int().optional(),
  /** Time for which its process ran; absent when it never started, or when that is not known. */
  ranMs: z.number().nonnegative().optional(),
  endedMsAgo: z.number().nonnegative(),
});
export type TaskResult = z.infer<typeof TaskResult>;

/** Milliseconds spent in each stage of bringing the instance up. */
export const InstanceStages = z.object({
  pull: z.number().optional(),
  create: z.number().optional(),
  start: z.number().optional(),
  ready: z.number().optional(),
});

export const InstanceReport = z.object({
  instance: z.uuid(),
  /** Grows with every report of a session. A report that is not newer than the last recorded one is ignored. */
  sequence: z.int().nonnegative(),
  state: InstanceState,
  code: FailureCode.optional(),
  /** For people: progress of a pull, or what went wrong and what to do. */
  message: z.string().max(2_000).optional(),
  /** Number of times the process was started. */
  starts: z.int().nonnegative(),
  /** Address of the instance inside its runner's network. */
  address: z.string().max(64).optional(),
  stages: InstanceStages.optional(),
  /** Newest applied generation; absent before the first. */
  generation: z.int().positive().optional(),
  /** For a ready sandbox: whether it is awake, and the time since its last use. */
  awake: z.boolean().optional(),
  usedMsAgo: z.number().nonnegative().optional(),
  /** The sandbox was unused for `expiresIdleSeconds`. */
  isExpired: z.boolean().optional(),
  /** Of a task that has `ended`. */
  result: TaskResult.optional(),
});
export type InstanceReport = z.infer<typeof InstanceReport>;

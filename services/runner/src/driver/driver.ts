// Interface of the runner to a container engine. Docker implements it today; a second engine would implement the same.
import type { IsolationClass } from '@berth/contract/node';

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isolation: IsolationClass;
  readonly env: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly cpus: number;
  /** Id of the container whose network is shared. */
  readonly networkOf: string;
  /** First process, in place of the image's own. It handles signals and reaps children, so the engine adds no init. */
  readonly entrypoint?: readonly string[];
  /** Read-only folders of this machine, by their path inside the container. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** File systems in the container's memory, by their path inside the container. */
  readonly memoryVolumes?: Readonly<Record<string, MemoryVolume>>;
  /** Maximum number of processes; absent: the driver's default. */
  readonly maxProcesses?: number;
}

export interface MemoryVolume {
  readonly sizeMb: number;
  readonly readOnly: boolean;
}

export interface ContainerState {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: 'created' | 'running' | 'paused' | 'exited';
  /** Absent unless the container runs. */
  readonly pid: number | undefined;
  readonly exitCode: number | undefined;
  readonly outOfMemory: boolean;
  /** Start of the current or last run, in milliseconds since 1970; absent when the container never ran. */
  readonly startedAt: number | undefined;
  /** End of the last run, in milliseconds since 1970; absent when no run has ended. */
  readonly finishedAt: number | undefined;
  /** Absent when the engine does not keep output in files. */
  readonly logFile: string | undefined;
  /** Undefined when its runtime is none of ours. */
  readonly isolation: IsolationClass | undefined;
  /** Folder that takes the container's writes to its root file system; undefined when it cannot be determined. */
  readonly layer: string | undefined;
  /**
   * Paths on this machine that the container may write: its layer, volumes, and hostname, hosts and resolv.conf files.
   */
  readonly writablePaths: readonly string[];
}

export interface ContainerUsage {
  readonly memoryBytes: number;
  readonly cpuNanoseconds: number;
}

export interface ContainerEvent {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: 'start' | 'die' | 'oom' | 'destroy';
}

export interface Pull {
  readonly image: string;
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  onProgress(bytes: { readonly done: number; readonly total: number }): void;
  /** Aborts the pull in the engine too. `pull` throws the reason of the abort. */
  readonly signal?: AbortSignal;
}

/**
 * - `too_large`: exceeds a limit of this machine; a retry does not help.
 * - `no_room`: the disk of this machine is short at the moment.
 */
export type PullFault = 'missing' | 'refused' | 'unavailable' | 'too_large' | 'no_room';

/** A pull failure in words that a person can act on, independent of the engine's own words. */
export class PullFailed extends Error {
  readonly fault: PullFault;
  constructor(fault: PullFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

export type Pausable = Pick<ContainerState, 'id'>;

/** Removing or stopping a container that does not exist succeeds. */
export interface Driver {
  /** Folder in which the engine keeps images and containers. */
  dataFolder(): Promise<string>;
  /** Isolation classes that the engine offers. */
  isolationClasses(): Promise<readonly IsolationClass[]>;
  /** Arguments with which the engine starts the OCI runtime of a class. */
  runtimeArguments(isolation: IsolationClass): Promise<readonly string[]>;
  /** Id of the local image with this name; undefined when there is none. */
  imageId(image: string): Promise<string | undefined>;
  /** Unpacked size on disk; undefined when the image is not present. */
  imageBytes(image: string): Promise<number | undefined>;
  /** Throws `PullFailed`. */
  pull(pull: Pull): Promise<void>;
  /** False when a container still uses the image. */
  removeImage(image: string): Promise<boolean>;
  create(wish: ContainerSpec): Promise<string>;
  start(id: string): Promise<void>;
  stop(id: string, graceSeconds: number): Promise<void>;
  /** A paused container takes no CPU. */
  pause(container: Pausable): Promise<void>;
  unpause(container: Pausable): Promise<void>;
  update(id: string, limits: { readonly memoryMb: number; readonly cpus: number }): Promise<void>;
  inspect(id: string): Promise<ContainerState | undefined>;
  /** All containers with the label, running or not. */
  list(label: { readonly name: string; readonly value: string }): Promise<readonly ContainerState[]>;
  stats(id: string): Promise<ContainerUsage | undefined>;
  remove(id: string): Promise<void>;
  /** Runs until the signal aborts or the engine goes away; after the latter the caller must resync. */
  events(signal: AbortSignal): AsyncIterable<ContainerEvent>;
}

/** Every container of ours has the `runner` label; instances and slots have their own labels in addition. */
export const containerLabels = {
  runner: 'berth.runner',
  instance: 'berth.instance',
  workspace: 'berth.workspace',
  slot: 'berth.slot',
  /** Isolation class of a sandbox, needed to thaw a sandbox that is no longer wanted. */
  sandbox: 'berth.sandbox',
  /** Disk limit of the instance's own in MB, so that the next runner process finds it. */
  diskMb: 'berth.disk-mb',
} as const;

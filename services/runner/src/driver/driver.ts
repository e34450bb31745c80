// What the runner asks of a container engine. Docker implements it today; whatever comes second implements the same words.
import type { IsolationClass } from '@berth/contract';

export interface ContainerWish {
  readonly name: string;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isolation: IsolationClass;
  readonly env: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly cpus: number;
  /** Of the container whose network it shares. */
  readonly networkOf: string;
  /** Its first process, in place of all that the image would start. It hears signals and reaps, so it stands under no init. */
  readonly entrypoint?: readonly string[];
  /** Folders of this machine, by where they are seen inside; to be read only. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** How many processes it may have; the driver's own number when absent. */
  readonly mostProcesses?: number;
}

export interface ContainerState {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: 'created' | 'running' | 'paused' | 'exited';
  /** Only while it runs. */
  readonly pid: number | undefined;
  readonly exitCode: number | undefined;
  readonly outOfMemory: boolean;
  /** Absent where the engine does not keep output in files. */
  readonly logFile: string | undefined;
  /** Undefined for one that somebody else made. */
  readonly isolation: IsolationClass | undefined;
  /** What it writes to its root file system lies in this folder; undefined where that cannot be told. */
  readonly layer: string | undefined;
  /** Folders and files on this machine that it may write to: its layer, its volumes, and its files about names. */
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
  /** Ends the pull in the engine too. Its reason is what `pull` throws. */
  readonly signal?: AbortSignal;
}

/**
 * - `too_large`: beyond a limit of this machine; trying again does not help.
 * - `no_room`: the disk of this machine is short at the moment.
 */
export type PullFault = 'missing' | 'refused' | 'unavailable' | 'too_large' | 'no_room';

/** What a person can act on, from whatever words the engine used. */
export class PullFailed extends Error {
  readonly fault: PullFault;
  constructor(fault: PullFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

export type Pausable = Pick<ContainerState, 'id'>;

/** Removing, stopping or killing what is not there is no failure. */
export interface Driver {
  /** Where the engine keeps images and containers. */
  dataFolder(): Promise<string>;
  /** Which classes the engine offers. */
  isolationClasses(): Promise<readonly IsolationClass[]>;
  /** With which the engine starts what runs containers of a class. */
  runtimeArguments(isolation: IsolationClass): Promise<readonly string[]>;
  /** Of the image that is here under this name; undefined when there is none. */
  imageId(image: string): Promise<string | undefined>;
  /** What it takes of the disk, unpacked; undefined when it is not there. */
  imageBytes(image: string): Promise<number | undefined>;
  /** Throws `PullFailed`. */
  pull(pull: Pull): Promise<void>;
  /** False when something still uses it. */
  removeImage(image: string): Promise<boolean>;
  create(wish: ContainerWish): Promise<string>;
  start(id: string): Promise<void>;
  stop(id: string, graceSeconds: number): Promise<void>;
  /** From now on it takes no CPU at all. */
  pause(container: Pausable): Promise<void>;
  unpause(container: Pausable): Promise<void>;
  update(id: string, limits: { readonly memoryMb: number; readonly cpus: number }): Promise<void>;
  inspect(id: string): Promise<ContainerState | undefined>;
  /** Running or not, all that carry the label. */
  list(label: { readonly name: string; readonly value: string }): Promise<readonly ContainerState[]>;
  stats(id: string): Promise<ContainerUsage | undefined>;
  remove(id: string): Promise<void>;
  /** Until the signal; ends when the engine goes away, and whoever listens looks at everything again. */
  events(signal: AbortSignal): AsyncIterable<ContainerEvent>;
}

/** Every container of ours carries the first; instances and slots carry theirs beside it. */
export const containerLabels = {
  runner: 'berth.runner',
  instance: 'berth.instance',
  workspace: 'berth.workspace',
  slot: 'berth.slot',
  /** Of sandboxes: their isolation class, which has to be known to thaw one that nobody wants any more. */
  sandbox: 'berth.sandbox',
} as const;

// Interface of a mode: the differences between instances. A mode is a member of `ReachableInstance`, a file in this folder
// and an entry in `choose-mode.ts`; the worker and all other code of instances knows only this interface.
import type { SandboxInstance, ServeInstance } from '@berth/contract/node';
import type { ContainerSpec, ContainerState } from '../../driver/driver.ts';
import type { Failure } from '../../failures/failure.ts';
import type { Admission } from '../../ingress/endpoint.ts';
import type { InstanceContainer } from '../instance-container.ts';
import type { InstanceRun } from '../instance-run.ts';
import type { ListeningPorts } from '../listening-ports.ts';
import type { PendingCallers } from '../pending-callers.ts';
import type { WorkerDependencies } from '../worker-dependencies.ts';

/** Instances that take connections. A task takes none and has a worker of its own (`tasks/`). */
export type ReachableInstance = ServeInstance | SandboxInstance;

export interface ModeOptions {
  readonly instance: string;
  readonly container: InstanceContainer;
  readonly deps: WorkerDependencies;
}

export type ModeFactory<Instance extends ReachableInstance> = (options: ModeOptions) => InstanceMode<Instance>;

/**
 * Holds the state of one instance that only its mode has. Its methods take desired states of this mode alone: the worker
 * compares `name` and chooses another mode first. The compiler does not check these calls, because it lets a method
 * narrow its parameters.
 */
export interface InstanceMode<Instance extends ReachableInstance = ReachableInstance> {
  readonly name: Instance['mode'];

  // Bring-up

  /** Why this machine can create no instance of the mode; undefined when it can. */
  readonly unavailable: Failure | undefined;
  /** No caller waits for the instance yet, so its bring-up gives way to others. */
  isBackground(desired: Instance): boolean;
  /** Container settings that replace or extend those of all instances; `labels` are added. */
  containerSpec(desired: Instance): Partial<ContainerSpec>;
  /** True if the instance answers now. */
  probe(desired: Instance, address: string, signal: AbortSignal): Promise<boolean>;
  /** Time after which an instance that does not answer has failed. */
  startTimeoutSeconds(desired: Instance): number;
  /** Failure of an instance that did not answer in time. */
  noAnswer(desired: Instance, ports: ListeningPorts): Failure;
  /**
   * Takes over a run of an earlier process of this runner that cannot be probed. True when the instance is ready
   * without a probe.
   */
  takeOver(desired: Instance, state: ContainerState): Promise<boolean>;

  /** The instance answers, or was taken over. Called again after each restart. */
  becameReady(desired: Instance, state: ContainerState): void;

  // Changes

  /** A call of the api may change the instance while it runs. */
  readonly acceptsCalls: boolean;
  /** Newest generation that is applied to the current run; 0 when runs are not changed. */
  readonly generation: number;
  /** The run to which a desired state was applied last. */
  readonly appliedRun: InstanceRun | undefined;
  /** The current run lacks a newer generation. */
  isBehind(desired: Instance): boolean;
  /** The change needs a new container; nothing of an owner is lost with the old one. */
  needsNewContainer(desired: Instance): boolean;
  /** Applies the desired state to the run. */
  apply(desired: Instance, run: InstanceRun): Promise<void>;

  // Connections

  /** Port on which the ready instance takes connections; undefined while it takes none. */
  openPort(desired: Instance): number | undefined;
  /** Admits a caller that wants to connect. */
  open(callers: PendingCallers): Promise<Admission>;

  // Restart and end

  /** The container holds files of its owner: it is never replaced by an empty one. */
  readonly holdsFiles: boolean;
  /** The instance just got its owner, who waits for it; nothing of the owner has run in it yet. */
  isAwaited(desired: Instance): boolean;
  /** Added to the message about a restart; empty when there is nothing to say. */
  readonly restartNote: string;
  /** How the instance is removed: after its connections have drained, or at once with all of them. */
  readonly removal: 'drain' | 'kill';
  /** The run has ended or is about to end. */
  endRun(): Promise<void>;
  /** Nothing of the instance is left on this machine. */
  forget(): void;
}

// What differs between kinds of instances. A mode is a file in this folder and an entry in `choose-mode.ts`; the worker
// and all other code of instances knows only this interface.
import type { DesiredInstance } from '@berth/contract/node';
import type { ContainerSpec, ContainerState } from '../../driver/driver.ts';
import type { Failure } from '../../failures/failure.ts';
import type { Admission } from '../../ingress/endpoint.ts';
import type { InstanceContainer } from '../instance-container.ts';
import type { InstanceRun } from '../instance-run.ts';
import type { PendingCallers } from '../pending-callers.ts';
import type { WorkerDependencies } from '../worker-dependencies.ts';

export interface ModeOptions {
  readonly instance: string;
  readonly container: InstanceContainer;
  readonly deps: WorkerDependencies;
}

export interface ModeFactory {
  isFor(desired: DesiredInstance): boolean;
  create(options: ModeOptions): InstanceMode;
}

/** Holds the state of one instance that only its mode has. */
export interface InstanceMode {
  /** True when the mode is the right one for this desired state. */
  isFor(desired: DesiredInstance): boolean;

  // Bring-up

  /** Why this machine can create no instance of the mode; undefined when it can. */
  readonly unavailable: Failure | undefined;
  /** No caller waits for the instance yet, so its bring-up gives way to others. */
  isBackground(desired: DesiredInstance): boolean;
  /** Container settings that replace or extend those of all instances; `labels` are added. */
  containerSpec(desired: DesiredInstance): Partial<ContainerSpec>;
  /** True if the instance answers now. */
  probe(desired: DesiredInstance, address: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Takes over a run of an earlier process of this runner that cannot be probed. True when the instance is ready
   * without a probe.
   */
  takeOver(desired: DesiredInstance, state: ContainerState): Promise<boolean>;

  // Changes

  /** True when a call of the api may change the instance while it runs. */
  acceptsCall(desired: DesiredInstance): boolean;
  /** Newest generation that is applied to the current run; 0 when runs are not changed. */
  readonly generation: number;
  /** The run to which a desired state was applied last. */
  readonly appliedRun: InstanceRun | undefined;
  /** The current run lacks a newer generation. */
  isBehind(desired: DesiredInstance): boolean;
  /** The change needs a new container; nothing of an owner is lost with the old one. */
  needsNewContainer(desired: DesiredInstance): boolean;
  /** Applies the desired state to the run. */
  apply(desired: DesiredInstance, run: InstanceRun): Promise<void>;

  // Connections

  /** The instance takes connections once it is ready. */
  readonly isOpen: boolean;
  /** Admits a caller that wants to connect. */
  open(callers: PendingCallers): Promise<Admission>;

  // Restart and end

  /** The container holds files of its owner: it is never replaced by an empty one. */
  readonly holdsFiles: boolean;
  /** The instance just got its owner, who waits for it; nothing of the owner has run in it yet. */
  isAwaited(desired: DesiredInstance): boolean;
  /** Added to the message about a restart; empty when there is nothing to say. */
  readonly restartNote: string;
  /** How the instance is removed: after its connections have drained, or at once with all of them. */
  readonly removal: 'drain' | 'kill';
  /** The run has ended or is about to end. */
  endRun(): Promise<void>;
  /** Nothing of the instance is left on this machine. */
  forget(): void;
}

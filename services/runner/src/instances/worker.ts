import type { DesiredInstance, RunnerCallAnswer } from '@berth/contract/node';
import type { Failure } from '../failures/failure.ts';
import type { Admission } from '../ingress/endpoint.ts';

/** Reconciles one instance with its desired state, from its first container until nothing of it is left. */
export interface Worker {
  /** Address of the instance in the network of this machine, while it has one. */
  readonly address: string | undefined;
  /** Admits a caller that wants to connect. */
  open(): Promise<Admission>;
  setDesired(desired: DesiredInstance): void;
  /** Applies a call of the api. Resolves once the change is applied. */
  adopt(desired: DesiredInstance): Promise<RunnerCallAnswer>;
  /** Ends an instance that breaks a rule of this machine, and reports the reason to its owner. */
  giveUp(failure: Failure): void;
  /** The instance is no longer wanted. `isLeaving`: it may finish its requests under way. */
  retire(isLeaving: boolean): void;
  /** Something may have changed in the engine. */
  recheck(): void;
  /** Stops after the engine call in progress. The container stays as it is. */
  close(): void;
  /**
   * Runs until nothing of the instance is left, or until the runner stops. `gone` is reported before `onOver` drops
   * this worker, so before a new desired state can start another one.
   */
  run(onOver: () => void): Promise<void>;
}

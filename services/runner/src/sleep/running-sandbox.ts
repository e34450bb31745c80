import type { IsolationClass, SandboxSettings } from '@berth/contract/node';

export interface RunningSandbox {
  readonly instance: string;
  readonly containerId: string;
  /** Host pid of the first process. */
  readonly pid: number;
  readonly address: string;
  /** Port of the guest. */
  readonly port: number;
  readonly isolation: IsolationClass;
  readonly settings: SandboxSettings;
  /** Memory that is billed while the sandbox is awake; absent where nothing is metered. */
  readonly memoryMb?: number;
  /** The guest has just answered and cannot have been frozen since. Otherwise the freezer is asked for its state. */
  readonly isAwake?: true;
}

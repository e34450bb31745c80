// Sandboxes that run, asleep or awake. Only the runner judges that: it sees who holds a lease, asks the guest what runs inside,
// and freezes and thaws by itself.
import type { IsolationClass, RunnerCallAnswer, SandboxWish } from '@berth/contract';

export interface RunningSandbox {
  readonly instance: string;
  readonly containerId: string;
  /** Of its first process, on this machine. */
  readonly pid: number;
  readonly address: string;
  /** Of its guest. */
  readonly port: number;
  readonly isolation: IsolationClass;
  readonly wish: SandboxWish;
  /** It has just answered, and nobody can have put it to sleep since. Otherwise it is looked at. */
  readonly isAwake?: true;
}

/** Whether somebody who wants to speak to a sandbox may. */
export type Opened =
  | { readonly is: 'open' }
  | { readonly is: 'unknown' }
  /** The machine has no memory to wake it. */
  | { readonly is: 'busy'; readonly retryAfterSeconds: number };

/** What is told of a sandbox whenever it falls asleep, wakes, or nobody has used it for too long. */
export interface SandboxNews {
  readonly awake: boolean;
  readonly usedMsAgo: number;
  readonly isExpired?: true;
}

/** How long a lease of a sandbox may be kept unused: idle time is to be true. */
export const sandboxLeaseKeepMs = 1_000;

export interface SandboxKeeper {
  /** Its guest answers and it belongs to somebody: from now on it sleeps and wakes. Said again after its rules have changed. */
  keep(sandbox: RunningSandbox): void;
  /** It is about to be changed, stopped or removed: when this resolves it is awake, and stays so until it is kept again. */
  release(instance: string): Promise<void>;
  /** Resolves once it is awake. Whoever asks holds a lease from before this call on. */
  open(instance: string): Promise<Opened>;
  /** Somebody holds a lease, or nobody does any more. */
  onLeases(instance: string, count: number): void;
  wake(instance: string): Promise<RunnerCallAnswer>;
  /** Also while a process inside wants to be kept alive; not while somebody holds a lease that is in use. */
  sleep(instance: string): Promise<RunnerCallAnswer>;
  /** Nothing of it is left on this machine. */
  forget(instance: string): void;
  /** Memory is short: a sandbox that sleeps may be unable to wake. */
  readonly isPressed: boolean;
  counts(): { readonly awake: number; readonly asleep: number };
  /** Leaves all of them as they are. */
  close(): Promise<void>;
}

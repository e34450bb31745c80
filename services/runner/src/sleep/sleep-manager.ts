// Sleep of the machine's sandboxes. Only the runner decides about it: it counts leases, asks the guest what runs inside,
// and freezes and thaws by itself.
import type { RunnerCallAnswer } from '@berth/contract/node';
import type { RunningSandbox } from './running-sandbox.ts';

/** Result of a request to connect to a sandbox. */
export type Opened =
  | { readonly is: 'open' }
  | { readonly is: 'unknown' }
  /** The machine has no memory to wake the sandbox. */
  | { readonly is: 'busy'; readonly retryAfterSeconds: number };

/** Reported when a sandbox falls asleep, wakes, or exceeds its idle lifetime. */
export interface SandboxActivity {
  readonly awake: boolean;
  readonly usedMsAgo: number;
  readonly isExpired?: true;
}

/** Time that an unused lease of a sandbox may be kept. It is short so that idle time is accurate. */
export const sandboxLeaseKeepMs = 1_000;

export interface SleepManager {
  /** Starts to manage sleep of an owned sandbox whose guest answers. Called again when its sleep rules change. */
  manage(sandbox: RunningSandbox): void;
  /**
   * Called before a change, stop or removal. Resolves when the sandbox is awake; it stays awake until the next
   * `manage`.
   */
  release(instance: string): Promise<void>;
  /** Resolves once the sandbox is awake. The caller must hold a lease before this call. */
  open(instance: string): Promise<Opened>;
  /** The number of leases of an instance has changed. */
  onLeases(instance: string, count: number): void;
  wake(instance: string): Promise<RunnerCallAnswer>;
  /** Ignores processes that want to be kept alive, but not a lease in use. */
  sleep(instance: string): Promise<RunnerCallAnswer>;
  /** Nothing of the sandbox is left on this machine. */
  forget(instance: string): void;
  /** Memory is short: a sleeping sandbox may be unable to wake. */
  readonly isPressed: boolean;
  counts(): { readonly awake: number; readonly asleep: number };
  /** Leaves all sandboxes as they are. */
  close(): Promise<void>;
}

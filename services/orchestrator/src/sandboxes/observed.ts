// Input and output of the plan for a sandbox. Times are milliseconds of the database's clock.
import type { IsolationClass } from '@berth/contract/node';
import type { NewestEvent } from '../run/newest-event.ts';
import type { StatusEvent } from '../run/status-event.ts';

export interface SandboxInstance {
  readonly id: string;
  /** The boot of the sandbox that this instance is, as `boot-<n>`. */
  readonly boot: string;
  readonly isolation: IsolationClass;
  readonly desired: 'running' | 'leaving' | 'gone';
  readonly state: 'placed' | 'pulling' | 'starting' | 'ready' | 'failed' | 'gone' | 'lost';
  readonly message?: string | undefined;
  /** The runner reports that the sandbox was idle for as long as its lifetime rules allow. */
  readonly isExpired: boolean;
  readonly readyAt?: number | undefined;
  readonly endedAt?: number | undefined;
  /** Set when its runner is lost: the time the runner was last seen. */
  readonly runnerLostSince?: number | undefined;
}

export interface ObservedSandbox {
  readonly now: number;
  readonly status: string;
  readonly isTerminated: boolean;
  readonly isEnabled: boolean;
  /** The wanted boot, as `boot-<n>` and as a number. */
  readonly boot: { readonly id: string; readonly number: number };
  /**
   * Stored: the newest boot that came up or failed. Its contents are lost with its instance, so it
   * is never started a second time.
   */
  readonly settledBoot: number;
  readonly expiresAt?: number | undefined;
  /** Messages for an expiry by time and for an expiry by idleness. */
  readonly expiryMessages: { readonly clock: string; readonly idle: string };
  /** Tells the user why the sandbox cannot be started at all. */
  readonly fault?: string | undefined;
  /** Time that the runner may be away before the sandbox has failed. */
  readonly lostAfterMs: number;
  /** Live instances, and the newest ended instance of the wanted boot. */
  readonly instances: readonly SandboxInstance[];
  readonly newestEvent?: NewestEvent | undefined;
}

export type SandboxAction =
  /** Starts an instance of the wanted boot. */
  | { readonly do: 'start' }
  | { readonly do: 'retire'; readonly instances: readonly string[] }
  /** Ends an instance whose runner is away, without waiting for the runner any longer. */
  | { readonly do: 'end-lost'; readonly instance: string; readonly message: string }
  | { readonly do: 'record-boot'; readonly boot: number }
  /** Writes an event; the sandbox takes the event's status. */
  | { readonly do: 'change-status'; readonly event: StatusEvent }
  /** Writes an event that does not change the status. */
  | { readonly do: 'add-event'; readonly event: StatusEvent }
  | { readonly do: 'terminate'; readonly type: 'expiration' | 'deletion'; readonly message: string }
  | { readonly do: 'set-timer'; readonly at: number };

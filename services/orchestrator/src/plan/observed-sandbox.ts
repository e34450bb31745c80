// What is decided on about a sandbox, and what may be decided. Times are milliseconds of the database's clock.
import type { IsolationClass } from '@berth/contract';
import type { SaidEvent } from './observed.ts';

export interface SandboxInstance {
  readonly id: string;
  /** As `boot-<n>`: which of the sandbox's beginnings it is. */
  readonly boot: string;
  readonly isolation: IsolationClass;
  readonly desired: 'running' | 'leaving' | 'gone';
  readonly state: 'placed' | 'pulling' | 'starting' | 'ready' | 'failed' | 'gone' | 'lost';
  readonly message?: string | undefined;
  /** Its runner says that nobody has used it for as long as its rules allow. */
  readonly isExpired: boolean;
  readonly readyAt?: number | undefined;
  readonly endedAt?: number | undefined;
  /** Its runner was given up, and was last heard from then. */
  readonly awaySince?: number | undefined;
}

export interface ObservedSandbox {
  readonly now: number;
  readonly status: string;
  readonly isTerminated: boolean;
  readonly isEnabled: boolean;
  /** The wanted beginning, as `boot-<n>`, and its number. */
  readonly boot: { readonly id: string; readonly number: number };
  /** As it was written: the newest beginning that came up or failed. What was in it is lost with it, so it is never begun a second time. */
  readonly settledBoot: number;
  readonly expiresAt?: number | undefined;
  /** What to say when it ends by the clock, and when it ends for want of use. */
  readonly endings: { readonly clock: string; readonly idle: string };
  /** Why it cannot be started at all, for people. */
  readonly fault?: string | undefined;
  /** How long its machine may be away before it has failed. */
  readonly lostAfterMs: number;
  /** Those that live, and the newest of the wanted boot that has ended. */
  readonly instances: readonly SandboxInstance[];
  readonly newestEvent?: { readonly type: string; readonly message?: string | undefined } | undefined;
}

export type SandboxAction =
  /** One of the wanted boot. */
  | { readonly do: 'start' }
  | { readonly do: 'retire'; readonly instances: readonly string[] }
  /** Its machine will not be heard from in time: nobody waits for it any more. */
  | { readonly do: 'give-up'; readonly instance: string; readonly message: string }
  | { readonly do: 'settle'; readonly boot: number }
  /** An event; the sandbox's status becomes the event's. */
  | { readonly do: 'say'; readonly event: SaidEvent }
  /** An event that changes no status. */
  | { readonly do: 'note'; readonly event: SaidEvent }
  | { readonly do: 'terminate'; readonly type: 'expiration' | 'deletion'; readonly message: string }
  | { readonly do: 'look-again'; readonly at: number };

// What a decision is made on, and what it may say. Times are milliseconds of the database's clock.

export interface ObservedRevision {
  readonly id: string;
  readonly status: string;
  /** Instances that it keeps while it takes traffic, asked for or not. */
  readonly least: number;
  /** However much is asked of it. */
  readonly most: number;
  /** Why it cannot be started at all, for people. */
  readonly fault?: string | undefined;
}

export interface ObservedInstance {
  readonly id: string;
  readonly revision: string;
  readonly desired: 'running' | 'leaving' | 'gone';
  readonly state: 'placed' | 'pulling' | 'starting' | 'ready' | 'failed' | 'gone' | 'lost';
  readonly message?: string | undefined;
  readonly createdAt: number;
  readonly readyAt?: number | undefined;
  readonly failedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** What the orchestrator itself keeps of a resource, in its `state`. */
export interface Memory {
  /** The revision that traffic goes to. */
  readonly activeRevision?: string | undefined;
  readonly previousActiveRevision?: string | undefined;
  /** Generation of the spec that was decided on last: what failed under it is not tried again until it changes. */
  readonly observedGeneration?: number | undefined;
  /** When a revision was last begun anew: failures before that no longer count. */
  readonly attemptAt?: number | undefined;
}

/** What is asked of the workload now. */
export interface Demand {
  /** Under way and waiting together, at their most in the last while. */
  readonly requests: number;
  /** When some of it is over, if nobody says it again. */
  readonly until?: number | undefined;
}

/** The operator's rules for how many instances there are. */
interface Scaling {
  readonly requestsPerInstance: number;
  /** How long an instance stays that nobody asks for. */
  readonly idleMs: number;
}

export interface SaidEvent {
  readonly type: 'deployment' | 'deactivation' | 'infrastructure';
  readonly status: string;
  readonly message: string;
  readonly revision?: string | undefined;
}

export interface Observed {
  readonly now: number;
  readonly status: string;
  readonly generation: number;
  readonly isEnabled: boolean;
  /** The revision that was chosen to serve; the newest when none was. */
  readonly chosen?: string | undefined;
  /** Takes a share of the traffic. */
  readonly canary?: string | undefined;
  readonly canaryPercent: number;
  readonly demand: Demand;
  readonly scaling: Scaling;
  readonly memory: Memory;
  /** Newest first. */
  readonly revisions: readonly ObservedRevision[];
  /** The live ones, and the newest that have ended. */
  readonly instances: readonly ObservedInstance[];
  readonly newestEvent?: { readonly type: string; readonly message?: string | undefined } | undefined;
}

export type Action =
  | { readonly do: 'start'; readonly revision: string; readonly count: number }
  /** `leaving` lets what is under way end first. */
  | { readonly do: 'retire'; readonly instances: readonly string[]; readonly desired: 'leaving' | 'gone' }
  | { readonly do: 'mark'; readonly revision: string; readonly status: string }
  | { readonly do: 'remember'; readonly memory: Memory }
  /** An event; the resource's status becomes the event's. */
  | { readonly do: 'say'; readonly event: SaidEvent }
  /** An event that changes no status, left out when there is something more important to tell. */
  | { readonly do: 'note'; readonly event: SaidEvent }
  | { readonly do: 'look-again'; readonly at: number }
  /** Nothing of the resource is left but its record. */
  | { readonly do: 'remove' };

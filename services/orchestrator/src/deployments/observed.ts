// Input and output of the plan for a deployment. Times are milliseconds of the database's clock.
import type { NewestEvent } from '../run/newest-event.ts';
import type { StatusEvent } from '../run/status-event.ts';

export interface ObservedRevision {
  readonly id: string;
  readonly status: string;
  /** Minimum number of instances while the revision takes traffic, with or without demand. */
  readonly minInstances: number;
  /** Maximum number of instances, whatever the demand. */
  readonly maxInstances: number;
  /** Tells the user why the revision cannot be started at all. */
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

/** The orchestrator's own record of a resource, stored in its `state`. */
export interface DeploymentRecord {
  /** The revision that receives the traffic. */
  readonly activeRevision?: string | undefined;
  readonly previousActiveRevision?: string | undefined;
  /** Generation of the spec at the last decision: a failure under it is not retried until the spec changes. */
  readonly observedGeneration?: number | undefined;
  /** Time of the last new attempt of a revision: earlier failures no longer count. */
  readonly attemptAt?: number | undefined;
}

/** Current demand on the workload, as gateways report it. */
export interface Demand {
  /** Requests under way plus requests waiting, at their recent peak. */
  readonly requests: number;
  /** Time at which part of the demand expires unless a gateway renews it. */
  readonly until?: number | undefined;
}

/** The operator's rules for the number of instances. */
interface Scaling {
  readonly requestsPerInstance: number;
  /** Idle timeout: an instance without demand stays this long. */
  readonly idleMs: number;
}

export interface ObservedDeployment {
  readonly now: number;
  readonly status: string;
  readonly generation: number;
  readonly isEnabled: boolean;
  /** The revision that the user chose to serve; undefined means the newest. */
  readonly chosen?: string | undefined;
  /** The revision that takes a share of the traffic. */
  readonly canary?: string | undefined;
  readonly canaryPercent: number;
  readonly demand: Demand;
  readonly scaling: Scaling;
  readonly record: DeploymentRecord;
  /** Newest first. */
  readonly revisions: readonly ObservedRevision[];
  /** The live instances, and the newest ended ones. */
  readonly instances: readonly ObservedInstance[];
  readonly newestEvent?: NewestEvent | undefined;
}

export type DeploymentAction =
  | { readonly do: 'start'; readonly revision: string; readonly count: number }
  /** `leaving` drains requests that are under way first. */
  | { readonly do: 'retire'; readonly instances: readonly string[]; readonly desired: 'leaving' | 'gone' }
  | { readonly do: 'mark-revision'; readonly revision: string; readonly status: string }
  | { readonly do: 'store-record'; readonly record: DeploymentRecord }
  /** Writes an event; the resource takes the event's status. */
  | { readonly do: 'change-status'; readonly event: StatusEvent }
  /** Writes an event that does not change the status; dropped when a more important event is written. */
  | { readonly do: 'add-event'; readonly event: StatusEvent }
  | { readonly do: 'set-timer'; readonly at: number }
  /** Removes the resource, of which only the record is left. */
  | { readonly do: 'remove' };

// Types for the address of a request, the workload that it names, and the instances that can take it.
import type { Preview } from './preview.ts';

/** Kinds that the gateway serves. */
export type ServedKind = 'agent' | 'function' | 'sandbox';

/**
 * A workload named by a request. `path` is the rest of the raw target with its query, unchanged; it begins with `/`.
 */
export type Named =
  | {
      readonly by: 'path';
      readonly workspace: string;
      readonly kind: ServedKind;
      readonly name: string;
      readonly path: string;
    }
  | { readonly by: 'host'; readonly region: string; readonly label: string; readonly path: string }
  | NamedPreview;

/**
 * A sandbox named by one of its previews. Below a customer's domain the label is the whole host, and the region is
 * empty.
 */
export interface NamedPreview {
  readonly by: 'preview';
  readonly region: string;
  readonly label: string;
  readonly path: string;
}

/** Instance that can take a request. */
export interface Endpoint {
  readonly instance: string;
  readonly revision: string;
  readonly runnerId: string;
  readonly ingress: { readonly address: string; readonly secret?: string | undefined } | undefined;
  /** Port to use instead of the instance's main port. */
  readonly port?: number | undefined;
  /** True when connecting may have to wait for a wake. An idle connection that is kept open prevents sleep. */
  readonly canSleep?: boolean;
}

export interface Traffic {
  readonly active: string | undefined;
  readonly canary: string | undefined;
  readonly canaryPercent: number;
  readonly stickySeconds: number;
}

/** Workload as cached by the gateway. */
export interface Workload {
  readonly uid: string;
  readonly kind: ServedKind;
  readonly name: string;
  readonly workspaceId: string;
  readonly workspace: string;
  readonly isPublic: boolean;
  readonly isEnabled: boolean;
  /** The active revision has failed; nothing starts until the next deployment. */
  readonly isFailed: boolean;
  readonly traffic: Traffic;
  /** Ready instances of every revision that takes traffic. */
  readonly endpoints: readonly Endpoint[];
  /** Ports of a sandbox that its owner has declared. */
  readonly ports: readonly number[];
  /** True when the only instance is on an unreachable runner. */
  readonly isAway: boolean;
  /** Remaining lifetime, counted from the query; afterwards the workload no longer exists. */
  readonly endsInMs: number | undefined;
  /** Preview by which the workload was found. */
  readonly preview?: Preview | undefined;
}

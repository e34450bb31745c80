// Types of a workload as the gateway caches it, and of the instances that can take its requests.

/** Kinds that the gateway serves. */
export const servedKinds = ['agent', 'function', 'sandbox'] as const;
export type ServedKind = (typeof servedKinds)[number];

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
}

// What a request is about, as far as its address says, and where it may go.

/** A workload named by a request. `path` is the rest of the raw target, byte for byte, with its query; it begins with `/`. */
export type Named =
  | {
      readonly by: 'path';
      readonly workspace: string;
      readonly kind: 'agent' | 'function';
      readonly name: string;
      readonly path: string;
    }
  | { readonly by: 'host'; readonly region: string; readonly label: string; readonly path: string };

/** One instance that can take a request. */
export interface Endpoint {
  readonly instance: string;
  readonly revision: string;
  readonly runnerId: string;
  readonly ingress: { readonly address: string; readonly secret: string } | undefined;
}

export interface Traffic {
  readonly active: string | undefined;
  readonly canary: string | undefined;
  readonly canaryPercent: number;
  readonly stickySeconds: number;
}

/** A workload as the gateway knows it at this moment. */
export interface Workload {
  readonly uid: string;
  readonly kind: 'agent' | 'function';
  readonly name: string;
  readonly workspaceId: string;
  readonly workspace: string;
  readonly isPublic: boolean;
  readonly isEnabled: boolean;
  /** What should serve has failed, and nothing is started of it until somebody deploys again. */
  readonly isFailed: boolean;
  readonly traffic: Traffic;
  /** The ready ones of every revision that takes traffic. */
  readonly endpoints: readonly Endpoint[];
}

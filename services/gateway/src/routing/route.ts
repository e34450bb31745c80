// What a request is about, as far as its address says, and where it may go.
import type { Preview } from './preview.ts';

/** What is served here. */
export type ServedKind = 'agent' | 'function' | 'sandbox';

/** A workload named by a request. `path` is the rest of the raw target, byte for byte, with its query; it begins with `/`. */
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

/** A sandbox, by one of its previews. Below a customer's domain the label is the whole host, and the region is empty. */
export interface NamedPreview {
  readonly by: 'preview';
  readonly region: string;
  readonly label: string;
  readonly path: string;
}

/** One instance that can take a request. */
export interface Endpoint {
  readonly instance: string;
  readonly revision: string;
  readonly runnerId: string;
  readonly ingress: { readonly address: string; readonly secret?: string | undefined } | undefined;
  /** Another than the one that the instance answers on. */
  readonly port?: number | undefined;
  /** Whoever connects may have to wait until it is awake, and a connection that is kept for later keeps it from sleeping. */
  readonly canSleep?: boolean;
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
  readonly kind: ServedKind;
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
  /** Ports of a sandbox that its owner has declared. */
  readonly ports: readonly number[];
  /** It is on a runner that is away, and nowhere else. */
  readonly isAway: boolean;
  /** When it ends by itself, counted from when it was asked for; after that there is no such workload. */
  readonly endsInMs: number | undefined;
  /** The one that it was found by. */
  readonly preview?: Preview | undefined;
}

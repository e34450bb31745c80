// Types for the address of a request and for the workload that was found there.
import type { ServedKind, Workload } from '../workloads/workload.ts';
import type { Preview } from './preview.ts';

/**
 * A workload named by a request. `path` is the rest of the raw target with its query, unchanged; it begins with `/`.
 */
export type Route =
  | {
      readonly by: 'path';
      readonly workspace: string;
      readonly kind: ServedKind;
      readonly name: string;
      readonly path: string;
      /** Trigger whose path was called; it decides who may pass. */
      readonly via?: CalledTrigger;
    }
  | { readonly by: 'host'; readonly region: string; readonly label: string; readonly path: string }
  | PreviewRoute;

/**
 * A sandbox named by one of its previews. Below a customer's domain the label is the whole host, and the region is
 * empty.
 */
export interface PreviewRoute {
  readonly by: 'preview';
  readonly region: string;
  readonly label: string;
  readonly path: string;
}

/** A trigger named by its path; not decoded, not checked yet. */
export interface TriggerRoute {
  readonly by: 'trigger';
  readonly workspace: string;
  /** The longest path that the trigger may have. */
  readonly name: string;
  /** False where more segments follow in the address. */
  readonly isWhole: boolean;
  /** All of the raw target after the workspace, with its query. */
  readonly target: string;
}

/** Trigger by whose path a workload was called. */
interface CalledTrigger {
  readonly route: TriggerRoute;
  /** Part of the path that names it, as the client wrote it. */
  readonly base: string;
}

/** A model named by a request, by its path on the gateway's own hosts or by its host. `path` is as in `Route`. */
export interface ModelRoute {
  readonly by: 'model';
  readonly address:
    | { readonly workspace: string; readonly name: string }
    | { readonly region: string; readonly label: string };
  readonly path: string;
}

/** All that an address can name. */
export type Destination = Route | TriggerRoute | ModelRoute;

/** Workload as found by an address. */
export interface FoundWorkload extends Workload {
  /** Preview by which the workload was found. */
  readonly preview?: Preview | undefined;
}

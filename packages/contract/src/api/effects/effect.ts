// Effect of each field that a client may set. A field is on exactly one list; a test walks the schemas and checks that
// the lists are complete. The api refuses and warns by these lists, and docs/operations/fields.md is generated from
// them.

/** Field names below `spec`. A path covers everything below it: `network.proxy` covers `network.proxy.bypass[]`. */
interface Fields {
  readonly paths: readonly string[];
}

/** The field has its documented effect; the test `<file>: <title>` proves it. */
export interface Enforced extends Fields {
  readonly effect: 'enforced';
  readonly test: string;
}

/** The whole resource waits for an engine, and its status and first event report that. */
export interface Waits extends Fields {
  readonly effect: 'waits';
  readonly reason: string;
}

interface Idle extends Fields {
  /** Reason why the field has no effect, and the next step for the client. */
  readonly reason: string;
  /** Values that request nothing, besides the kind's defaults and empty values. */
  readonly harmless?: readonly unknown[];
}

/** A protective field that cannot be honoured: a write that sets it is answered with 400. */
export interface Refused extends Idle {
  readonly effect: 'refused';
}

/**
 * A field that only adds something and cannot be honoured: it is stored, and a `warning` event reports that it has no
 * effect.
 */
export interface Warned extends Idle {
  readonly effect: 'warned';
}

export type FieldEffect = Enforced | Waits | Refused | Warned;

export const enforced = (test: string, ...paths: string[]): Enforced => ({ effect: 'enforced', test, paths });

// What becomes of each field that a client may set. A field is on exactly one list; a test walks the schemas and keeps the
// lists whole. The api refuses and warns by the same lists, and docs/operations/fields.md is made from them.

/** Names of fields from `spec` on. A path covers everything below it: `network.proxy` covers `network.proxy.bypass[]`. */
interface Fields {
  readonly paths: readonly string[];
}

/** It does what it says; the test that shows it is `<file>: <title>`. */
export interface Enforced extends Fields {
  readonly effect: 'enforced';
  readonly test: string;
}

/** The resource as a whole waits for an engine, and its own status and first event say so. */
export interface Waits extends Fields {
  readonly effect: 'waits';
  readonly reason: string;
}

interface Idle extends Fields {
  /** Why it has no effect, and what to do. */
  readonly reason: string;
  /** Values that ask for nothing, beside the kind's defaults and beside empty ones. */
  readonly harmless?: readonly unknown[];
}

/** It protects somebody and cannot be honoured, so a write that sets it is answered with 400. */
export interface Refused extends Idle {
  readonly effect: 'refused';
}

/** It only adds something and cannot be honoured; it is stored, and a `warning` event says that it has no effect. */
export interface Warned extends Idle {
  readonly effect: 'warned';
}

export type FieldEffect = Enforced | Waits | Refused | Warned;

export const enforced = (test: string, ...paths: string[]): Enforced => ({ effect: 'enforced', test, paths });

/** A fault in stored usage. */
export interface Finding {
  /** The invariant that does not hold, in words. */
  readonly check: string;
  readonly accountId: string;
  readonly hourMs: number;
  readonly detail: string;
}

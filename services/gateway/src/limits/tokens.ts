/** Tokens of one request to a model. */
export interface Tokens {
  readonly sent: number;
  /** Part of `sent` that the provider had cached. */
  readonly cached: number;
  readonly received: number;
}

// What became of one try at a provider. Pure.

export type AttemptResult =
  /** The answer went to the client, to its end or until it was cut. */
  | { readonly is: 'answered'; readonly error?: AttemptError }
  /** Nothing was sent to the client. `status` is that of an answer that another connection may better. */
  | { readonly is: 'failed'; readonly error: AttemptError; readonly status?: number };

export interface AttemptError {
  /**
   * - `address`: the connection's address is not on the internet.
   * - `unreachable`: no connection, or it broke before an answer.
   * - `refused`: an answer with a status that says so.
   * - `late`: no answer in time, or too long without a byte.
   * - `cut`: the provider broke off its answer.
   * - `client_gone`: the client left.
   */
  readonly code: 'address' | 'unreachable' | 'refused' | 'late' | 'cut' | 'client_gone';
  readonly cause?: unknown;
}

/** The same request may succeed elsewhere. All other statuses judge the request itself. */
export const isWorthAnother = (status: number): boolean => status === 408 || status === 429 || status >= 500;

// Address of one port of a sandbox, as cached by the gateway.

export interface Preview {
  readonly uid: string;
  readonly name: string;
  readonly sandboxUid: string;
  /** Undefined means the API of the sandbox. */
  readonly port: number | undefined;
  readonly isPublic: boolean;
  /** Customer's domain: the host of the preview is this domain or is below it. */
  readonly customDomain: string | undefined;
  /** Headers set on every request; `responseHeaders` are set on every response. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** Remaining lifetime, counted from the query; undefined without an end. */
  readonly endsInMs: number | undefined;
  /** End of each token on the clock of `performance`, by the hash of its value. */
  readonly tokens: ReadonlyMap<string, number>;
}

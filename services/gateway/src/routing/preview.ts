// An address of one port of a sandbox, as the gateway knows it at this moment.

export interface Preview {
  readonly uid: string;
  readonly name: string;
  readonly sandboxUid: string;
  /** Undefined: the API of the sandbox. */
  readonly port: number | undefined;
  readonly isPublic: boolean;
  /** The customer's domain that its host is below, or is. */
  readonly customDomain: string | undefined;
  /** Set on every request and on every answer. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** When it ends by itself, counted from when it was asked for. */
  readonly endsInMs: number | undefined;
  /** When each token ends, on the clock of `performance`; by the hash of its value. */
  readonly tokens: ReadonlyMap<string, number>;
}

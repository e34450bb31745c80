/** No byte of the request has reached the workload: another instance may be tried, or the client may retry. */
export class NotDispatched extends Error {
  readonly reason: 'unknown' | 'refused' | 'unreachable' | 'busy';
  /** When to retry, if the reason is `busy`. */
  readonly retryAfterSeconds: number | undefined;
  constructor(
    reason: NotDispatched['reason'],
    message: string,
    { retryAfterSeconds, ...options }: ErrorOptions & { readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The runner accepts no connections, because it is stopping or has stopped: none of its instances can be reached. */
export class RunnerAway extends NotDispatched {
  constructor(options: ErrorOptions) {
    super('unreachable', 'the runner takes no connections', options);
  }
}

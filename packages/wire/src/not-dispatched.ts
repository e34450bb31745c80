/** Nothing of a request has reached the workload: another instance may be tried, or the client may try again. */
export class NotDispatched extends Error {
  readonly reason: 'unknown' | 'refused' | 'unreachable' | 'busy';
  /** Of one that is busy: when it may be tried again. */
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

/** The runner itself takes no connections, so none of its instances can be reached anew: it stops, or has ended. */
export class RunnerAway extends NotDispatched {
  constructor(options: ErrorOptions) {
    super('unreachable', 'the runner takes no connections', options);
  }
}

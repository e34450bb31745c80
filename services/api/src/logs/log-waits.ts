// Requests that wait for lines. Each of them asks ClickHouse every second, so their number is limited.

/** Of one account. */
const maxWaiting = 20;

export interface LogWait extends Disposable {
  /** Aborts when the request is to be answered at once. */
  readonly signal: AbortSignal;
}

export class LogWaits {
  readonly #closing = new AbortController();
  readonly #waiting = new Map<string, number>();

  /** The signal is aborted from the beginning where the account has too many requests that wait. */
  begin(accountId: string, clientGone: AbortSignal): LogWait {
    const waiting = this.#waiting.get(accountId) ?? 0;
    this.#waiting.set(accountId, waiting + 1);
    const signal = waiting < maxWaiting ? AbortSignal.any([this.#closing.signal, clientGone]) : AbortSignal.abort();
    return { signal, [Symbol.dispose]: () => this.#end(accountId) };
  }

  /** Ends every wait, including waits that begin later. */
  close(): void {
    this.#closing.abort();
  }

  #end(accountId: string): void {
    const left = (this.#waiting.get(accountId) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(accountId);
    else this.#waiting.set(accountId, left);
  }
}

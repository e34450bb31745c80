// Outcome of one request, in the terms that the gateway's answers, logs and metrics use.

/**
 * Progress of the request: `dispatched` means that the workload may have seen it, `answered` that the response head
 * arrived.
 */
type DispatchState = 'not_dispatched' | 'dispatched' | 'answered';

/**
 * - `unreachable`: no connection to the instance. Nothing was sent.
 * - `reset`: the connection ended after the request was sent and before a response.
 * - `bad_answer`: the response is not HTTP, or may not be passed on.
 * - `cut`: the workload broke off its response, and the gateway closed the client's connection.
 * - `client_gone`: the client closed its connection.
 * - `timed_out`: too long in total, or too long without a byte.
 * - `client_late`: the same, while the workload waited for the rest of the client's body.
 * - `too_large`: the body is over its limit.
 * - `bad_request`: the request cannot be written as HTTP/1.1.
 */
export type ProxyErrorCode =
  | 'unreachable'
  | 'reset'
  | 'bad_answer'
  | 'cut'
  | 'client_gone'
  | 'timed_out'
  | 'client_late'
  | 'too_large'
  | 'bad_request';

export interface ProxyError {
  readonly code: ProxyErrorCode;
  readonly cause?: unknown;
}

export interface Outcome {
  /** Status of the workload's response; undefined without one, and then nothing has been written to the client. */
  readonly status: number | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
  readonly dispatchState: DispatchState;
  readonly error?: ProxyError;
}

/** Updated while bytes pass. */
export interface Tally {
  readonly startedAt: number;
  status: number | undefined;
  bytesIn: number;
  bytesOut: number;
  firstByteMs: number | undefined;
  dispatchState: DispatchState;
}

export const startTally = (): Tally => ({
  startedAt: performance.now(),
  status: undefined,
  bytesIn: 0,
  bytesOut: 0,
  firstByteMs: undefined,
  dispatchState: 'not_dispatched',
});

export function outcomeOf(tally: Tally, error: ProxyError | undefined): Outcome {
  const { startedAt, status, bytesIn, bytesOut, firstByteMs, dispatchState } = tally;
  const durationMs = performance.now() - startedAt;
  const outcome = { status, bytesIn, bytesOut, firstByteMs, durationMs, dispatchState };
  return error === undefined ? outcome : { ...outcome, error };
}

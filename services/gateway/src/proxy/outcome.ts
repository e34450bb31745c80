// What became of one request, in the words by which the gateway answers, logs and counts it.

/** How far the request got: `dispatched` means that the workload may have seen it, `answered` that its head came back. */
type DispatchState = 'not_dispatched' | 'dispatched' | 'answered';

/**
 * - `unreachable`: no connection to the instance. Nothing was sent.
 * - `reset`: the connection ended after the request was sent and before an answer.
 * - `bad_answer`: what came back is not HTTP, or may not be passed on.
 * - `cut`: the workload ended its answer before its end; so did we.
 * - `client_gone`: nobody is left to answer.
 * - `timed_out`: too long in all, or too long without a byte.
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
  /** The workload's; undefined when it gave none, and then nothing has been written to the client. */
  readonly status: number | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
  readonly dispatchState: DispatchState;
  readonly error?: ProxyError;
}

/** Filled while bytes pass. */
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

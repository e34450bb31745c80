import { GatewayError } from '../errors.ts';
import type { Outcome, ProxyErrorCode } from '../proxy/outcome.ts';

/** What the client is told when the workload itself has not answered; undefined when there is nobody to tell. */
const codes = {
  unreachable: 'WORKLOAD_UNAVAILABLE',
  reset: 'WORKLOAD_CONNECTION_LOST',
  bad_answer: 'WORKLOAD_CONNECTION_LOST',
  cut: 'WORKLOAD_CONNECTION_LOST',
  client_gone: undefined,
  timed_out: 'WORKLOAD_TIMEOUT',
  client_late: 'REQUEST_TIMEOUT',
  too_large: 'REQUEST_ENTITY_TOO_LARGE',
  bad_request: 'BAD_REQUEST',
} as const satisfies Record<ProxyErrorCode, string | undefined>;

/** A request that has not left us may be sent again, whatever it was that failed. */
export function faultOf({ error, dispatchState }: Outcome): GatewayError | undefined {
  if (error === undefined) return undefined;
  const code = codes[error.code];
  if (code === undefined) return undefined;
  const isUnsent = dispatchState === 'not_dispatched' && (error.code === 'reset' || error.code === 'unreachable');
  return new GatewayError(isUnsent ? 'WORKLOAD_UNAVAILABLE' : code, {}, error.cause);
}

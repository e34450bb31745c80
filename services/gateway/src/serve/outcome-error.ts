import { NotDispatched } from '@berth/wire';
import { GatewayError } from '../errors/gateway-error.ts';
import { PortClosed } from '../proxy/connector.ts';
import type { Outcome, ProxyErrorCode } from '../proxy/outcome.ts';
import type { Target } from '../workloads/target.ts';

/** Error code for the client when the workload has not answered; undefined when the client has left. */
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

/** A request that was never sent to the workload may be repeated after any failure. */
export function outcomeError(outcome: Outcome, target: Pick<Target, 'port'> | undefined): GatewayError | undefined {
  const { error, dispatchState } = outcome;
  if (error === undefined) return undefined;
  const plain = finalRefusal(outcome, target);
  if (plain !== undefined) return plain;
  const code = codes[error.code];
  if (code === undefined) return undefined;
  const isUnsent = dispatchState === 'not_dispatched' && (error.code === 'reset' || error.code === 'unreachable');
  return new GatewayError(isUnsent ? 'WORKLOAD_UNAVAILABLE' : code, {}, error.cause);
}

/**
 * Refusal of a request that reached no workload and that an immediate retry cannot help; undefined when a retry might
 * help.
 */
export function finalRefusal({ error }: Outcome, target: Pick<Target, 'port'> | undefined): GatewayError | undefined {
  if (error?.code !== 'unreachable') return undefined;
  const { cause } = error;
  if (cause instanceof NotDispatched && cause.reason === 'busy') {
    const { retryAfterSeconds } = cause;
    const message = 'The sandbox sleeps, and the machine that holds it has no memory to wake it right now.';
    return new GatewayError('WORKLOAD_UNAVAILABLE', { message, retryAfterSeconds });
  }
  if (!(cause instanceof PortClosed) || target?.port === undefined) return undefined;
  return new GatewayError('PORT_UNREACHABLE', {
    message: `Nothing listens on port ${target.port} of the sandbox, or only on its loopback address.`,
  });
}

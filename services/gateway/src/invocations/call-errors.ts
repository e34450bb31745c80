// Refusals of asynchronous calls. Most are created once: in a flood, the stack trace of every refusal would cost more than the
// refusal.
import { GatewayError } from '../errors/gateway-error.ts';

export const switchedOff = new GatewayError('WORKLOAD_UNAVAILABLE', { message: 'The workload is switched off.' });

export const noUpgrade = new GatewayError('BAD_REQUEST', {
  message: 'An asynchronous call cannot change its protocol.',
  action: 'Open a WebSocket without async=true, at the address of the agent itself.',
});

export const bodyTooLarge = new GatewayError('REQUEST_ENTITY_TOO_LARGE', {
  message: 'The body is larger than an asynchronous call takes here.',
  action: 'Send less, or an address where the agent finds the data, or call the agent without async=true.',
});

export const callsBusy = new GatewayError('RATE_LIMITED', {
  limit: 'calls',
  message: 'More asynchronous calls arrive at once than the gateway takes.',
});

export const queueFull = new GatewayError('RATE_LIMITED', {
  limit: 'calls',
  message: 'Too many asynchronous calls of the workspace wait already.',
  action: 'Send the call again when some of them have ended; GET /agents/{agent}/invocations lists them.',
});

export const acceptUncertain = (cause: unknown): GatewayError =>
  new GatewayError(
    'INTERNAL_ERROR',
    {
      message: 'The connection to the database broke while the call was stored; it may have been accepted.',
      action: 'Send the request again with the same Idempotency-Key, or look at the invocations of the agent.',
      doNot: 'Do not retry without an Idempotency-Key: the agent would be called twice.',
    },
    cause,
  );

// Refusals of requests to a trigger. Callers of a public trigger see them too, so they tell little about the job. Most
// are created once: in a flood, the stack trace of every refusal would cost more than the refusal.
import { GatewayError } from '../errors/gateway-error.ts';
import type { FoundTrigger } from '../routing/trigger.ts';

export const switchedOff = new GatewayError('WORKLOAD_UNAVAILABLE', { message: 'The workload is switched off.' });

export const onlyPost = new GatewayError('METHOD_NOT_ALLOWED', {
  message: 'A trigger takes POST alone.',
  action: 'Send the request with POST.',
});

export const bodyTooLarge = ({ workspace, name }: FoundTrigger): GatewayError =>
  new GatewayError('REQUEST_ENTITY_TOO_LARGE', {
    message: 'A body at this address has at most 1 MiB.',
    action: `Send less, or start the execution at /${workspace}/jobs/${name}/executions of the API, which takes more.`,
  });

export const limitReached = new GatewayError('QUOTA_EXCEEDED');

export const volumesRefused = new GatewayError('BAD_REQUEST', {
  message: 'The volumes of the job cannot be mounted.',
  action: 'Start the job through the API, which says why, and change its volumes.',
});

export const startsBusy = new GatewayError('RATE_LIMITED', {
  limit: 'starts',
  message: 'More executions are being started by requests at once than the gateway takes.',
});

export const startUncertain = (cause: unknown): GatewayError =>
  new GatewayError(
    'INTERNAL_ERROR',
    {
      message: 'The connection to the database broke while the execution was stored; it may have started.',
      action: 'Send the request again with the same Idempotency-Key, or look at the executions of the job.',
      doNot: 'Do not retry without an Idempotency-Key: the job would run twice.',
    },
    cause,
  );

// Refusals of requests to models.
import type { Provider } from '@berth/contract';
import { GatewayError } from '../errors/gateway-error.ts';
import type { ModelFault } from './model.ts';

export const switchedOff = new GatewayError('WORKLOAD_UNAVAILABLE', { message: 'The model is switched off.' });

export const onlyPost = new GatewayError('METHOD_NOT_ALLOWED', { message: 'Models are called with POST.' });

export const bodyTooLarge = new GatewayError('REQUEST_ENTITY_TOO_LARGE', {
  message: 'The request is larger than models take here.',
  action: 'Send less in one request, or ask the operator for a higher gateway.models.bodyBytes.',
});

export const bodiesBusy = new GatewayError('RATE_LIMITED', {
  message: 'Too many bytes of requests to models are waiting for their answers at once.',
  limit: 'models',
});

export const notCallable = ({ message, action, isUnserved }: ModelFault): GatewayError =>
  new GatewayError('MODEL_NOT_CALLABLE', { message, action, ...(isUnserved && { status: 501 }) });

export function noEndpoint(providers: readonly Provider[]): GatewayError {
  const [provider] = providers;
  const paths = Object.keys(provider?.endpoints ?? {});
  return new GatewayError('ROUTE_NOT_FOUND', {
    message: `The provider of the model has no endpoint at this path.`,
    action: `Use one of these paths after the name of the model: ${paths.join(', ')}.`,
  });
}

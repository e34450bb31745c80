// Resolves the address of a request to the workload, the model or the trigger that it names. Each form of address is one file in the list.
import { GatewayError } from '../errors/gateway-error.ts';
import { byModelPath } from './by-model-path.ts';
import { byPath } from './by-path.ts';
import { byCustomHost, byPreviewHost } from './by-preview-host.ts';
import { byTriggerPath } from './by-trigger-path.ts';
import { byWorkloadHost } from './by-workload-host.ts';
import { hostIn } from './host.ts';
import type { Resolver, ResolverSettings } from './resolver.ts';
import type { Destination } from './route.ts';

/**
 * The first resolver that recognises the address wins. Hosts come before paths: on a workload's own host the whole path
 * belongs to the workload. No host is both the gateway's and a customer's. Paths of triggers come last: they may be
 * any path that no other form has.
 */
const resolvers: readonly Resolver[] = [
  byWorkloadHost,
  byPreviewHost,
  byPath,
  byModelPath,
  byCustomHost,
  byTriggerPath,
];

/** Origin form only, with characters that are allowed on a request line. */
const targetForm = /^\/[\x21-\x7e]*$/;

export function resolve(
  request: { readonly host: string | undefined; readonly rawTarget: string },
  settings: ResolverSettings,
): Destination {
  const host = hostIn(request.host);
  if (host === undefined)
    throw new GatewayError('BAD_REQUEST', { message: 'The Host header is missing or malformed.' });
  const { rawTarget } = request;
  if (!targetForm.test(rawTarget)) {
    throw new GatewayError('BAD_REQUEST', { message: 'The request target has to be a path that begins with a slash.' });
  }
  for (const resolver of resolvers) {
    const route = resolver.resolve({ host, rawTarget }, settings);
    if (route !== undefined) return route;
  }
  throw new GatewayError('ROUTE_NOT_FOUND');
}

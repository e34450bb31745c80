// From what a request says to the workload it names. A further form of address is a further file in the list.
import { onlyValueOf } from '../access/raw-headers.ts';
import { GatewayError } from '../errors.ts';
import { byPath } from './by-path.ts';
import { byCustomHost, byPreviewHost } from './by-preview-host.ts';
import { byWorkloadHost } from './by-workload-host.ts';
import type { Resolver, ResolverSettings } from './resolver.ts';
import type { Named } from './route.ts';

/** The first that knows the address answers. Hosts before paths: the whole path of a workload's own host is the workload's. */
const resolvers: readonly Resolver[] = [byWorkloadHost, byPreviewHost, byPath, byCustomHost];

const hostForm = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_])?)\.?(?::\d{1,5})?$/;
/** Origin form alone, of characters that may stand on a request line. */
const targetForm = /^\/[\x21-\x7e]*$/;

/** Lower case, without its port; undefined when no host is written like that. */
export function hostIn(header: string | undefined): string | undefined {
  return hostForm.exec(header?.toLowerCase() ?? '')?.[1];
}

/** A request with two hosts would be read one way here and another way behind us. */
export function hostHeader(rawHeaders: readonly string[]): string | undefined {
  return onlyValueOf(rawHeaders, 'host') ?? undefined;
}

export function resolve(
  request: { readonly host: string | undefined; readonly rawTarget: string },
  settings: ResolverSettings,
): Named {
  const host = hostIn(request.host);
  if (host === undefined)
    throw new GatewayError('BAD_REQUEST', { message: 'The Host header is missing or malformed.' });
  const { rawTarget } = request;
  if (!targetForm.test(rawTarget)) {
    throw new GatewayError('BAD_REQUEST', { message: 'The request target has to be a path that begins with a slash.' });
  }
  for (const resolver of resolvers) {
    const named = resolver.resolve({ host, rawTarget }, settings);
    if (named !== undefined) return named;
  }
  throw new GatewayError('ROUTE_NOT_FOUND');
}

// A provider of models as clients see it. Control-plane sheet 2.16; names of keys: decisions, Models.
import {
  type Integration,
  type IntegrationEndpoint,
  keyNameOf,
  type Provider,
  type ProviderEndpoint,
  type TokenPaths,
} from '@berth/contract';
import type { z } from 'zod';

type DescribedEndpoint = z.output<typeof IntegrationEndpoint>;

/** The interface has one path for each number. */
const firstPaths = ({ sent, received }: TokenPaths) => ({ sent: sent[0], received: received?.[0] });

function describeEndpoint({ method, streams, tokens, streamTokens }: ProviderEndpoint): DescribedEndpoint {
  return {
    method,
    ...(typeof streams === 'object' && { streamKey: streams.key }),
    ...(tokens !== undefined && { token: firstPaths(tokens) }),
    ...(streamTokens !== undefined && { streamToken: firstPaths(streamTokens) }),
  };
}

function describeParams(provider: Provider): Record<string, string> {
  const ownName = keyNameOf(provider);
  const config = Object.entries(provider.config ?? {}).map(([name, { about, fallback }]) => [
    name,
    `spec.config: ${about}${fallback === undefined ? '' : `; ${fallback} when it is left out`}`,
  ]);
  return {
    API_KEY: `spec.secret: key of ${provider.displayName}. It may be named ${ownName} as well, or be the only entry.`,
    [ownName]: 'spec.secret: the same; API_KEY wins.',
    ...Object.fromEntries(config),
  };
}

export function describeProvider(provider: Provider): z.output<typeof Integration> {
  const { name, displayName, baseUrl, endpoints, headers, unserved } = provider;
  return {
    name,
    additionalInfos: {
      displayName,
      type: 'model',
      ...(baseUrl !== undefined && { baseUrl }),
      ...(unserved !== undefined && { unserved }),
    },
    endpoints: Object.fromEntries(Object.entries(endpoints).map(([path, each]) => [path, describeEndpoint(each)])),
    headers: { ...headers },
    params: describeParams(provider),
    organizations: [],
    repositories: [],
  };
}

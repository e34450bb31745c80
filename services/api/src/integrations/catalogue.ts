// Catalogue of third parties that a connection can name: providers of models, and tools from the MCP hub.
import { type Integration, providers } from '@berth/contract';
import type { z } from 'zod';
import { toolIntegrations } from '../platform/mcp-hub.ts';
import { describeProvider } from './describe-provider.ts';

type Described = z.output<typeof Integration>;

const tools = [...toolIntegrations].map(
  ([name, displayName]): Described => ({
    name,
    additionalInfos: { displayName, type: 'tool' },
    endpoints: {},
    headers: {},
    params: {},
    organizations: [],
    repositories: [],
  }),
);

const integrations: ReadonlyMap<string, Described> = new Map(
  [...providers.map(describeProvider), ...tools].map((integration) => [integration.name, integration]),
);

export const findIntegration = (name: string): Described | undefined => integrations.get(name);

export const isKnownIntegration = (name: string): boolean => integrations.has(name);

// Catalogue of third parties that a connection can name: model providers from integrations.yaml, tools from the MCP
// hub.
import { type Integration, IntegrationEndpoint } from '@berth/contract';
import { z } from 'zod';
import { toolIntegrations } from '../platform/mcp-hub.ts';
import { readYaml, uniquelyNamed } from '../platform/read-yaml.ts';

type Described = z.output<typeof Integration>;

const textMap = z.record(z.string(), z.string());

const Provider = z.strictObject({
  name: z.string().regex(/^[a-z0-9_-]+$/),
  displayName: z.string().min(1),
  /** Absent for providers where every customer has a different address. */
  baseUrl: z.url().optional(),
  headers: textMap.default({}),
  params: textMap.default({}),
  endpoints: z.record(z.string().startsWith('/'), IntegrationEndpoint.strict()),
});

const providers = readYaml(new URL('integrations.yaml', import.meta.url), uniquelyNamed(Provider)).map(
  ({ name, displayName, baseUrl, headers, params, endpoints }): Described => ({
    name,
    additionalInfos: { displayName, type: 'model', ...(baseUrl === undefined ? {} : { baseUrl }) },
    endpoints,
    headers,
    params,
    organizations: [],
    repositories: [],
  }),
);

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
  [...providers, ...tools].map((integration) => [integration.name, integration]),
);

export const findIntegration = (name: string): Described | undefined => integrations.get(name);

export const isKnownIntegration = (name: string): boolean => integrations.has(name);

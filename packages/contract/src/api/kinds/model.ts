// Model: a route to a provider with the credentials of a connection. Control-plane sheet 1.6, 2.6.
import { z } from 'zod';
import { knownKeys } from '../schema/known-keys.ts';
import { Flavor, Metadata, MetadataInput, Status, statuses } from '../schema/shared.ts';
import { ResourceNames, Text } from '../schema/text.ts';
import { Generation } from '../schema/workload.ts';
import { defineKind, permissions, readyAtOnce } from './kind.ts';

export const modelProviders = [
  'hf_private_endpoint',
  'hf_public_endpoint',
  'huggingface',
  'public_model',
  'mcp',
  'openai',
  'anthropic',
  'gemini',
  'mistral',
  'deepseek',
  'cohere',
  'cerebras',
  'xai',
  'vertexai',
  'azure-openai-service',
  'azure-ai-inference',
  'azure-marketplace',
  'groq',
] as const;

const ModelRuntime = knownKeys({
  endpointName: Text.optional(),
  generation: Generation.optional(),
  model: Text.optional(),
  organization: Text.optional(),
  type: z.enum(modelProviders).optional(),
});

export const model = defineKind({
  kind: 'model',
  title: 'Model',
  plural: 'Models',
  tag: 'Models',
  path: '/models',
  param: 'modelName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    enabled: z.boolean().optional(),
    flavors: z.array(Flavor).max(100).optional(),
    integrationConnections: ResourceNames.optional(),
    policies: ResourceNames.optional(),
    runtime: ModelRuntime.optional(),
    sandbox: z.boolean().optional(),
  }),
  specDefaults: { enabled: true },
  status: Status,
  statuses,
  immutable: ['spec.runtime.generation'],
  secrets: [],
  listing: { paged: true, filters: ['status'] },
  permissions: {
    ...permissions({
      list: 'models:list',
      create: 'models:create',
      get: 'models:get',
      update: 'models:update',
      delete: 'models:delete',
    }),
    revisions: { role: 'member', scopes: ['models:list'] },
  },
  revisions: true,
  quota: 'models',
  arrival: readyAtOnce,
});

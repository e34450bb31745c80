// Function: an MCP server. Specification: Function; control-plane sheet 1.5, 2.5.
import { z } from 'zod';
import { defineKind, envSecrets, permissions, waitsFor } from '../kind.ts';
import { knownKeys } from '../schema/known-keys.ts';
import { Metadata, MetadataInput, RevisionConfiguration, Status, statuses } from '../schema/shared.ts';
import { ImageReference, MemoryMb, RegionName, ResourceNames } from '../schema/text.ts';
import { callbackSecrets, Envs, Generation, Ports, Scale, Triggers, triggersShown } from '../schema/workload.ts';

const FunctionRuntime = knownKeys({
  envs: Envs.optional(),
  generation: Generation.optional(),
  image: ImageReference.optional(),
  maxScale: Scale.optional(),
  memory: MemoryMb.optional(),
  minScale: Scale.optional(),
  ports: Ports.max(1, 'a function listens on one port').optional(),
  transport: z.enum(['websocket', 'http-stream']).optional(),
  type: z.literal('mcp').optional(),
});

export const mcpFunction = defineKind({
  kind: 'function',
  title: 'Function',
  plural: 'Functions',
  tag: 'Functions',
  path: '/functions',
  param: 'functionName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    enabled: z.boolean().optional(),
    integrationConnections: ResourceNames.optional(),
    policies: ResourceNames.optional(),
    public: z.boolean().optional(),
    region: RegionName.optional(),
    revision: RevisionConfiguration.optional(),
    runtime: FunctionRuntime.optional(),
    triggers: Triggers.optional(),
    type: z.literal('mcp').optional(),
  }),
  specShown: triggersShown,
  specDefaults: { enabled: true, public: false },
  status: Status,
  statuses,
  immutable: ['spec.runtime.generation'],
  secrets: [envSecrets('runtime', 'envs'), callbackSecrets],
  listing: { paged: true, filters: ['status'] },
  permissions: {
    ...permissions({
      list: 'functions:list',
      create: 'functions:create',
      get: 'functions:get',
      update: 'functions:update',
      delete: 'functions:delete',
    }),
    revisions: { role: 'member', scopes: ['functions:get'] },
  },
  showSecrets: true,
  upload: true,
  revisions: true,
  runs: true,
  revealsSecretOnWrite: true,
  quota: 'functions',
  arrival: waitsFor('a runner'),
});

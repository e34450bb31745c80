// Function: an MCP server. Specification: Function; control-plane sheet 1.5, 2.5.
import { z } from 'zod';
import { knownKeys } from '../schema/known-keys.ts';
import { ResourceNames } from '../schema/text.ts';
import { Ports, Scale, triggersOf } from '../schema/workload.ts';
import { defineKind, permissions, waitsFor } from './kind.ts';
import { workloadKind, workloadRuntime, workloadSpec } from './workload.ts';

const FunctionRuntime = knownKeys({
  envs: workloadRuntime.envs,
  generation: workloadRuntime.generation,
  image: workloadRuntime.image,
  maxScale: Scale.optional(),
  memory: workloadRuntime.memory,
  minScale: Scale.optional(),
  ports: Ports.max(1, 'a function listens on one port').optional(),
  transport: z.enum(['websocket', 'http-stream']).optional(),
  type: z.literal('mcp').optional(),
});

export const mcpFunction = defineKind({
  ...workloadKind,
  kind: 'function',
  title: 'Function',
  plural: 'Functions',
  tag: 'Functions',
  path: '/functions',
  param: 'functionName',
  spec: z.object({
    enabled: workloadSpec.enabled,
    integrationConnections: ResourceNames.optional(),
    policies: workloadSpec.policies,
    public: z.boolean().optional(),
    region: workloadSpec.region,
    revision: workloadSpec.revision,
    runtime: FunctionRuntime.optional(),
    triggers: triggersOf('function').optional(),
    type: z.literal('mcp').optional(),
  }),
  specDefaults: { enabled: true, public: false },
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
  runs: true,
  quota: 'functions',
  arrival: waitsFor('a runner'),
});

// Agent: a workload that answers requests and scales to zero. Control-plane sheet 1.4, 2.4.
import { z } from 'zod';
import { knownKeys } from '../schema/known-keys.ts';
import { Repository, Scale, triggersOf, VolumeAttachments } from '../schema/workload.ts';
import { defineKind, permissions, waitsFor } from './kind.ts';
import { workloadKind, workloadRuntime, workloadSpec } from './workload.ts';

const AgentRuntime = knownKeys({
  envs: workloadRuntime.envs,
  generation: workloadRuntime.generation,
  image: workloadRuntime.image,
  maxScale: Scale.optional(),
  memory: workloadRuntime.memory,
  minScale: Scale.optional(),
});

export const agent = defineKind({
  ...workloadKind,
  kind: 'agent',
  title: 'Agent',
  plural: 'Agents',
  tag: 'Agents',
  path: '/agents',
  param: 'agentName',
  spec: z.object({
    enabled: workloadSpec.enabled,
    policies: workloadSpec.policies,
    public: z.boolean().optional(),
    region: workloadSpec.region,
    repository: Repository.optional(),
    revision: workloadSpec.revision,
    runtime: AgentRuntime.optional(),
    triggers: triggersOf('agent').optional(),
    volumes: VolumeAttachments.optional(),
  }),
  specDefaults: { enabled: true, public: false },
  permissions: {
    ...permissions({
      list: 'agents:list',
      create: 'agents:create',
      get: 'agents:get',
      update: 'agents:update',
      delete: 'agents:delete',
    }),
    revisions: { role: 'member', scopes: ['agents:list'] },
  },
  runs: true,
  quota: 'agents',
  arrival: waitsFor('a runner'),
});

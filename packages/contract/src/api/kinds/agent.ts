// Agent: a workload that answers requests and scales to zero. Control-plane sheet 1.4, 2.4.
import { z } from 'zod';
import { defineKind, envSecrets, permissions, waitsFor } from '../kind.ts';
import { knownKeys } from '../schema/known-keys.ts';
import { Metadata, MetadataInput, RevisionConfiguration, Status, statuses } from '../schema/shared.ts';
import { ImageReference, MemoryMb, RegionName, ResourceNames } from '../schema/text.ts';
import {
  callbackSecrets,
  Envs,
  Generation,
  Repository,
  Scale,
  Triggers,
  triggersShown,
  VolumeAttachments,
} from '../schema/workload.ts';

const AgentRuntime = knownKeys({
  envs: Envs.optional(),
  generation: Generation.optional(),
  image: ImageReference.optional(),
  maxScale: Scale.optional(),
  memory: MemoryMb.optional(),
  minScale: Scale.optional(),
});

export const agent = defineKind({
  kind: 'agent',
  title: 'Agent',
  plural: 'Agents',
  tag: 'Agents',
  path: '/agents',
  param: 'agentName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    enabled: z.boolean().optional(),
    policies: ResourceNames.optional(),
    public: z.boolean().optional(),
    region: RegionName.optional(),
    repository: Repository.optional(),
    revision: RevisionConfiguration.optional(),
    runtime: AgentRuntime.optional(),
    triggers: Triggers.optional(),
    volumes: VolumeAttachments.optional(),
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
      list: 'agents:list',
      create: 'agents:create',
      get: 'agents:get',
      update: 'agents:update',
      delete: 'agents:delete',
    }),
    revisions: { role: 'member', scopes: ['agents:list'] },
  },
  showSecrets: true,
  upload: true,
  revisions: true,
  runs: true,
  revealsSecretOnWrite: true,
  quota: 'agents',
  arrival: waitsFor('a runner'),
});

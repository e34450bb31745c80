// Sandbox: a private machine that sleeps when idle. Control-plane sheet 1.8, 2.8, 3.3 to 3.5.
import { z } from 'zod';
import { QueryBoolean } from '../schema/query.ts';
import {
  SandboxInfrastructureError,
  SandboxLifecycle,
  SandboxNetwork,
  SandboxRuntime,
  SandboxVolumes,
} from '../schema/sandbox.ts';
import { Metadata, MetadataInput, Status, statuses } from '../schema/shared.ts';
import { RegionName, ResourceName, Timestamp } from '../schema/text.ts';
import { defineKind, envSecrets, permissions, waitsFor } from './kind.ts';

export const sandbox = defineKind({
  kind: 'sandbox',
  title: 'Sandbox',
  plural: 'Sandboxes',
  tag: 'Sandboxes',
  path: '/sandboxes',
  param: 'sandboxName',
  // The service chooses a name when the caller gives none.
  metadataInput: MetadataInput.partial({ name: true }),
  metadata: Metadata,
  spec: z.object({
    enabled: z.boolean().optional(),
    lifecycle: SandboxLifecycle.nullable().optional(),
    network: SandboxNetwork.optional(),
    region: RegionName.optional(),
    runtime: SandboxRuntime.optional(),
    volumes: SandboxVolumes.optional(),
    vpc: ResourceName.optional(),
  }),
  specDefaults: { enabled: true, vpc: 'default' },
  state: z.enum(['RUNNING', 'STANDBY']),
  status: Status,
  statuses,
  readOnly: {
    errors: z.array(SandboxInfrastructureError).optional(),
    expiresIn: z.int().optional(),
    lastUsedAt: Timestamp.optional(),
    nodeGeneration: z.string().optional(),
  },
  immutable: ['spec.region', 'spec.volumes', 'spec.vpc', 'spec.network.egress.gateway', 'spec.runtime.generation'],
  secrets: [
    envSecrets('runtime', 'envs'),
    { path: ['runtime', 'dockerConfig'], shown: 'never' },
    { path: ['network', 'proxy', 'routing', '*', 'secrets', '*'], shown: 'never' },
  ],
  listing: { paged: true, filters: ['status', 'externalId', 'showTerminated'], withoutEvents: true },
  permissions: {
    ...permissions({
      list: 'sandboxes:list',
      create: 'sandboxes:create',
      get: 'sandboxes:get',
      update: 'sandboxes:update',
      delete: 'sandboxes:delete',
    }),
    byExternalId: { role: 'member', scopes: ['sandboxes:get'] },
  },
  showSecrets: true,
  upload: true,
  createErrorForm: 'sandbox',
  createQuery: { createIfNotExist: QueryBoolean.optional() },
  replaceQuery: { restart: QueryBoolean.optional() },
  quota: 'sandboxes',
  arrival: waitsFor('a runner'),
});

// Application: a public service that runs continuously. Control-plane sheet 1.9, 2.10.
import { z } from 'zod';
import { Metadata, MetadataInput, RevisionConfiguration, Status, statuses } from '../schema/shared.ts';
import {
  DomainName,
  ImageReference,
  MemoryMb,
  mapOf,
  PortNumber,
  RegionName,
  ResourceName,
  Timestamp,
} from '../schema/text.ts';
import { Envs } from '../schema/workload.ts';
import { defineKind, envSecrets, permissions, waitsFor } from './kind.ts';

const AppUrl = z.object({ domain: DomainName, subdomain: z.string().max(253).optional() });

export const AppRevision = z
  .object({
    createdAt: Timestamp.optional(),
    createdBy: z.string().optional(),
    envs: Envs.optional(),
    id: z.string().optional(),
    image: z.string().optional(),
    memory: z.int().optional(),
    port: z.int().optional(),
    snapshot: z.string().optional(),
  })
  .meta({ id: 'AppRevision' });

export const application = defineKind({
  kind: 'application',
  title: 'Application',
  plural: 'Applications',
  tag: 'Applications',
  path: '/applications',
  param: 'applicationName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    enabled: z.boolean().optional(),
    envs: Envs.optional(),
    extensions: mapOf(z.object({ sandbox: ResourceName.optional() }), { keys: 32 }).optional(),
    image: ImageReference.optional(),
    memory: MemoryMb.optional(),
    port: PortNumber.optional(),
    proxy: z.boolean().optional().meta({ deprecated: true }),
    region: RegionName.optional(),
    revision: RevisionConfiguration.optional(),
    urls: z.array(AppUrl).max(100).optional(),
  }),
  specReadOnly: { revisions: z.array(AppRevision) },
  specDefaults: { enabled: true, memory: 2048, port: 8080, proxy: false },
  status: Status,
  statuses,
  readOnly: { nodeGeneration: z.string().optional() },
  immutable: [],
  secrets: [envSecrets('envs'), envSecrets('revisions', '*', 'envs')],
  listing: { paged: true, filters: ['status'] },
  permissions: permissions({
    list: 'applications:list',
    create: 'applications:create',
    get: 'applications:get',
    update: 'applications:update',
    delete: 'applications:delete',
  }),
  upload: true,
  revisions: true,
  quota: 'applications',
  arrival: waitsFor('application hosting, which this version does not have'),
});

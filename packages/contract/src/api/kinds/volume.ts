// Volume: storage that outlives the sandbox it is attached to. Specification: Volume.
import { z } from 'zod';
import { Metadata, MetadataInput } from '../schema/shared.ts';
import { RegionName, Timestamp } from '../schema/text.ts';
import { defineKind, permissions, waitsFor } from './kind.ts';

const VolumeState = z.object({ attachedTo: z.string().optional() });

export const volumeStatuses = ['DEPLOYING', 'DEPLOYED', 'FAILED', 'DELETING', 'TERMINATED'] as const;
const VolumeStatus = z.enum(volumeStatuses);

export const LiteVolume = z
  .object({
    metadata: z.object({
      name: z.string(),
      displayName: z.string().optional(),
      externalId: z.string().optional(),
      createdAt: Timestamp.optional(),
      updatedAt: Timestamp.optional(),
    }),
    spec: z.object({ region: z.string().optional(), size: z.int().optional() }),
    state: VolumeState.optional(),
    status: VolumeStatus.optional(),
    terminatedAt: Timestamp.optional(),
  })
  .meta({ id: 'LiteVolume' });

export const volume = defineKind({
  kind: 'volume',
  title: 'Volume',
  plural: 'Volumes',
  tag: 'Volumes',
  path: '/volumes',
  param: 'volumeName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    region: RegionName.optional(),
    size: z.int().min(1).max(2_147_483_647).optional().describe('MB'),
    template: z
      .string()
      .max(128)
      .regex(/^[a-z0-9-]+(:[\w.-]+)?$/, 'name:version or name:latest')
      .optional(),
  }),
  specReadOnly: { infrastructureId: z.string() },
  state: VolumeState,
  status: VolumeStatus,
  statuses: volumeStatuses,
  readOnly: { terminatedAt: Timestamp.optional() },
  immutable: ['spec.region', 'spec.size', 'spec.template'],
  secrets: [],
  listing: { paged: true, filters: ['status', 'externalId'], item: LiteVolume, withoutEvents: true },
  permissions: {
    ...permissions({
      list: 'volumes:list',
      create: 'volumes:create',
      get: 'volumes:get',
      update: 'volumes:update',
      delete: 'volumes:delete',
    }),
    byExternalId: { role: 'member', scopes: ['volumes:get'] },
  },
  quota: 'volumes',
  arrival: waitsFor('storage'),
});

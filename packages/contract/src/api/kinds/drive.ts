// Drive: object storage that workloads mount at run time. Specification: Drive; listing rules: Endpoints.
import { z } from 'zod';
import { Metadata, MetadataInput } from '../schema/shared.ts';
import { Count, Labels, RegionName, Text } from '../schema/text.ts';
import { defineKind, permissions, waitsFor } from './kind.ts';

const DrivePermission = z.object({
  labels: Labels.optional(),
  mode: z.enum(['read', 'read-write']).optional(),
  path: Text.optional(),
});

export const driveStatuses = ['DEPLOYING', 'DEPLOYED', 'FAILED', 'DELETING', 'TERMINATED'] as const;

export const drive = defineKind({
  kind: 'drive',
  title: 'Drive',
  plural: 'Drives',
  tag: 'Drives',
  path: '/drives',
  param: 'driveName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    region: RegionName.optional(),
    size: Count.optional().describe('Limit in GB; absent or 0 means none.'),
    permissions: z.array(DrivePermission).max(3).optional(),
  }),
  specReadOnly: { infrastructureId: z.string() },
  state: z.object({ s3Url: z.string().optional() }),
  status: z.enum(driveStatuses),
  statuses: driveStatuses,
  immutable: ['spec.region', 'spec.size'],
  secrets: [],
  listing: { paged: true, filters: ['status', 'externalId'] },
  permissions: {
    ...permissions({
      list: 'drives:list',
      create: 'drives:create',
      get: 'drives:get',
      update: 'drives:create',
      delete: 'drives:delete',
    }),
    byExternalId: { role: 'member', scopes: ['drives:get'] },
  },
  upsert: true,
  deleteAnswer: z.object({ message: z.string(), name: z.string() }),
  quota: 'drives',
  arrival: waitsFor('storage'),
});

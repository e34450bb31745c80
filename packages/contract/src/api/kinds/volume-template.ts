// Volume template: content that new volumes start with. Control-plane sheet 1.11, 2.12.
import { z } from 'zod';
import { Metadata, MetadataInput } from '../schema/shared.ts';
import { Text, Timestamp } from '../schema/text.ts';
import { defineKind, permissions } from './kind.ts';

const VolumeTemplateState = z.object({
  lastVersionUploadedAt: Timestamp.optional(),
  latestVersion: z.string().optional(),
  status: z.enum(['created', 'ready', 'error']).optional(),
  versionCount: z.int().optional(),
});

const VolumeTemplateVersion = z
  .object({
    bucket: z.string().optional(),
    contentSize: z.int().optional(),
    name: z.string().optional(),
    region: z.string().optional(),
    status: z.enum(['CREATED', 'READY', 'FAILED']).optional(),
    templateName: z.string().optional(),
    versionId: z.string().optional(),
    workspace: z.string().optional(),
  })
  .meta({ id: 'VolumeTemplateVersion' });

const versionQuery = { version: z.string().min(1).max(63).optional() };

export const volumeTemplate = defineKind({
  kind: 'volumetemplate',
  title: 'VolumeTemplate',
  plural: 'VolumeTemplates',
  tag: 'Volume templates',
  path: '/volume_templates',
  param: 'volumeTemplateName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    defaultSize: z.int().min(1).max(2_147_483_647).optional().describe('MB'),
    description: Text.optional(),
  }),
  state: VolumeTemplateState,
  readOnly: { versions: z.array(VolumeTemplateVersion).optional() },
  immutable: [],
  secrets: [],
  listing: { paged: false, filters: [] },
  permissions: permissions({
    list: 'volumeTemplates:list',
    create: 'volumeTemplates:create',
    get: 'volumeTemplates:get',
    update: 'volumeTemplates:upsert',
    delete: 'volumeTemplates:delete',
  }),
  // The specification calls the scope of this write `upsert`.
  upsert: true,
  upload: true,
  createQuery: versionQuery,
  replaceQuery: versionQuery,
  quota: 'volume_templates',
});

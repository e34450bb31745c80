// Integration connection: credentials for a third-party service. Specification: Integration connection.
import { z } from 'zod';
import { Metadata, MetadataInput } from '../schema/shared.ts';
import { LongText, mapOf } from '../schema/text.ts';
import { defineKind, permissions } from './kind.ts';

export const integrationConnection = defineKind({
  kind: 'integrationconnection',
  title: 'IntegrationConnection',
  plural: 'IntegrationConnections',
  tag: 'Integrations',
  path: '/integrations/connections',
  param: 'connectionName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    config: mapOf(LongText).optional(),
    integration: z.string().min(1).max(128).optional(),
    sandbox: z.boolean().optional(),
    secret: mapOf(LongText).optional(),
  }),
  immutable: [],
  secrets: [{ path: ['secret', '*'], shown: 'masked' }],
  listing: { paged: false, filters: [] },
  permissions: permissions(
    {
      list: 'integrations:list',
      create: 'integrations:create',
      get: 'integrations:get',
      update: 'integrations:update',
      delete: 'integrations:delete',
    },
    'admin',
  ),
  quota: 'integrations',
});

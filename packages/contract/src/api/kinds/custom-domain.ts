// Custom domain: a customer's domain name for previews or applications. Control-plane sheet 1.14, 2.15.
import { z } from 'zod';
import { readOnly } from '../schema/read-only.ts';
import { MetadataInput, stamps } from '../schema/shared.ts';
import { DomainName, RegionName, Timestamp } from '../schema/text.ts';
import { defineKind, permissions } from './kind.ts';

export const customDomain = defineKind({
  kind: 'customdomain',
  title: 'CustomDomain',
  plural: 'CustomDomains',
  tag: 'Custom domains',
  path: '/customdomains',
  param: 'domainName',
  metadataInput: MetadataInput.pick({ displayName: true, labels: true }).extend({ name: DomainName }),
  metadata: z
    .object({
      name: z.string(),
      displayName: z.string().optional(),
      labels: z.record(z.string(), z.string()).optional(),
      sharedFromWorkspace: readOnly(z.string().optional()),
      ...stamps,
    })
    .meta({ id: 'CustomDomainMetadata' }),
  spec: z.object({
    domainType: z.enum(['previews', 'applications']).optional(),
    fallbackPreviewId: z.string().max(63).optional().describe('An empty text takes it away.'),
    region: RegionName.optional(),
    subjectAlternativeNames: z.array(DomainName).max(100).optional(),
  }),
  specReadOnly: {
    cnameRecords: z.string(),
    lastVerifiedAt: Timestamp,
    status: z.enum(['pending', 'verified', 'failed']),
    subdomains: z.array(
      z.object({
        subdomain: z.string(),
        url: z.string(),
        previewName: z.string(),
        resourceName: z.string(),
        resourceType: z.string(),
      }),
    ),
    txtRecords: z.record(z.string(), z.string()),
    verificationError: z.string(),
  },
  specDefaults: { status: 'pending' },
  immutable: ['spec.region', 'spec.domainType'],
  secrets: [],
  listing: { paged: false, filters: [] },
  permissions: permissions(
    {
      list: 'customdomains:list',
      create: 'customdomains:create',
      get: 'customdomains:get',
      update: 'customdomains:update',
      delete: 'customdomains:delete',
    },
    'admin',
  ),
  quota: 'custom_domains',
});

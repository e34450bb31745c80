// Policy: limits on where workloads run and how much they use. Control-plane sheet 1.10, 2.11.
import { z } from 'zod';
import { Flavor, Metadata, MetadataInput } from '../schema/shared.ts';
import { Count } from '../schema/text.ts';
import { defineKind, permissions } from './kind.ts';

const PolicyLocation = z
  .object({
    name: z.string().max(63).optional(),
    type: z.enum(['location', 'country', 'continent']).optional(),
  })
  .meta({ id: 'PolicyLocation' });

const PolicyMaxTokens = z
  .object({
    granularity: z.enum(['minute', 'hour', 'day', 'month']).optional(),
    input: Count.optional(),
    output: Count.optional(),
    ratioInputOverOutput: Count.optional(),
    step: z.int().min(1).max(100_000).optional(),
    total: Count.optional(),
  })
  .meta({ id: 'PolicyMaxTokens' });

export const policyResourceTypes = ['model', 'function', 'agent', 'sandbox', 'application', 'job'] as const;

const PolicySpec = z.object({
  flavors: z.array(Flavor).max(100).optional(),
  locations: z.array(PolicyLocation).max(1000).optional(),
  maxTokens: PolicyMaxTokens.optional(),
  resourceTypes: z.array(z.enum(policyResourceTypes)).max(100).optional(),
  sandbox: z.boolean().optional(),
  type: z.enum(['location', 'flavor', 'maxToken']).optional(),
});

const PolicyUsageCounts = z
  .object({
    agents: z.int(),
    functions: z.int(),
    jobs: z.int(),
    models: z.int(),
    sandboxes: z.int(),
  })
  .meta({ id: 'PolicyUsageCounts' });

export const PolicyListItem = z
  .object({ metadata: Metadata, spec: PolicySpec, usage: PolicyUsageCounts.optional() })
  .meta({ id: 'PolicyListItem' });

export const policy = defineKind({
  kind: 'policy',
  title: 'Policy',
  plural: 'Policies',
  tag: 'Policies',
  path: '/policies',
  param: 'policyName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: PolicySpec,
  immutable: [],
  secrets: [],
  listing: { paged: true, filters: [], item: PolicyListItem },
  permissions: permissions(
    {
      list: 'policies:list',
      create: 'policies:create',
      get: 'policies:get',
      update: 'policies:update',
      delete: 'policies:delete',
    },
    'admin',
  ),
  quota: 'policies',
});

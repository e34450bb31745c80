// Parts that several kinds share; control-plane sheet 2.1.
import { z } from 'zod';
import { readOnly } from './read-only.ts';
import {
  Count,
  DisplayName,
  ExternalId,
  Labels,
  LongText,
  Percent,
  PortNumber,
  ResourceName,
  Text,
  Timestamp,
} from './text.ts';

export const statuses = [
  'DELETING',
  'TERMINATED',
  'FAILED',
  'DEACTIVATED',
  'DEACTIVATING',
  'UPLOADING',
  'BUILDING',
  'DEPLOYING',
  'DEPLOYED',
  'BUILT',
] as const;
export const Status = z.enum(statuses);
export type Status = z.infer<typeof Status>;

export const CoreEvent = z
  .object({
    canaryRevision: z.string().optional(),
    message: z.string().optional(),
    revision: z.string().optional(),
    status: z.string().optional(),
    time: Timestamp.optional(),
    type: z.string().optional(),
  })
  .meta({ id: 'CoreEvent' });

/** Metadata that a client may send; other fields that it sends back are read-only and ignored. */
export const MetadataInput = z
  .object({
    name: ResourceName,
    displayName: DisplayName.optional(),
    externalId: ExternalId.optional(),
    labels: Labels.optional(),
  })
  .meta({ id: 'MetadataInput' });

/** On replace the name is in the path, so the body may omit it. */
export const MetadataReplacement = MetadataInput.partial({ name: true }).meta({ id: 'MetadataReplacement' });

/** Set by the service on every resource. */
export const stamps = {
  createdAt: readOnly(Timestamp.optional()),
  updatedAt: readOnly(Timestamp.optional()),
  createdBy: readOnly(z.string().optional()),
  updatedBy: readOnly(z.string().optional()),
  workspace: readOnly(z.string().optional()),
};

export const Metadata = z
  .object({
    name: z.string(),
    displayName: z.string().optional(),
    externalId: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    plan: readOnly(z.string().optional()),
    url: readOnly(z.string().optional()),
    ...stamps,
  })
  .meta({ id: 'Metadata' });

export const Env = z
  .object({
    name: z.string().min(1).max(256),
    value: LongText.optional(),
    secret: z.boolean().optional(),
  })
  .meta({ id: 'Env' });

export const Port = z
  .object({
    name: Text.optional(),
    protocol: z
      .string()
      .max(8)
      .transform((text) => text.toUpperCase())
      .pipe(z.enum(['HTTP', 'TCP', 'UDP', 'TLS']))
      .optional()
      .describe('HTTP, TCP, UDP or TLS, in any case.'),
    target: PortNumber,
  })
  .meta({ id: 'Port' });

export const RevisionConfiguration = z
  .object({
    active: Text.optional(),
    canary: Text.optional(),
    canaryPercent: Percent.optional(),
    stickySessionTtl: Count.optional(),
    traffic: Percent.optional(),
  })
  .meta({ id: 'RevisionConfiguration' });

export const RevisionMetadata = z
  .object({
    active: z.boolean(),
    canary: z.boolean(),
    createdAt: Timestamp,
    createdBy: z.string(),
    id: z.string(),
    previousActive: z.boolean(),
    status: z.string(),
    trafficPercent: z.int(),
  })
  .meta({ id: 'RevisionMetadata' });

export const Flavor = z
  .object({ name: Text.optional(), type: z.enum(['cpu', 'gpu']).optional() })
  .meta({ id: 'Flavor' });

export const PaginationMeta = z
  .object({ hasMore: z.boolean(), nextCursor: z.string(), total: z.int() })
  .meta({ id: 'PaginationMeta' });

/** Of a listing without a total. */
export const CursorMeta = z.object({ hasMore: z.boolean(), nextCursor: z.string() }).meta({ id: 'CursorMeta' });

export const ErrorBody = z.object({ error: z.string(), code: z.int(), message: z.string() }).meta({ id: 'Error' });

export const VersionErrorBody = z
  .object({ error: z.literal('invalid_api_version'), message: z.string() })
  .meta({ id: 'InvalidApiVersion' });

/** Free-form by contract: the caller's own data, stored and returned unchanged. */
export const FreeForm = z.record(z.string(), z.unknown());

/** An answer without a body. */
export const NoAnswer = z.undefined();

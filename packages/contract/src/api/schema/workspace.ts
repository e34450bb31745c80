// Workspace and the people in it. Specification: Workspace; control-plane sheet 2.3.
import { z } from 'zod';
import { readOnly } from './read-only.ts';
import { DisplayName, Labels, RegionName, Timestamp } from './text.ts';

export const WorkspaceName = z
  .string()
  .min(3)
  .max(32)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'lower-case letters, digits and hyphens, not at the ends');

export const Role = z.enum(['admin', 'member']);

export const workspaceStatuses = [
  'created',
  'account_binded',
  'account_configured',
  'workspace_configured',
  'ready',
  'error',
] as const;

const changeable = {
  displayName: DisplayName.optional(),
  groupMappings: z
    .array(z.object({ groupName: z.string().min(1).max(256), role: Role }).meta({ id: 'GroupMapping' }))
    .max(1000)
    .optional(),
  labels: Labels.optional(),
  region: RegionName.optional(),
  runtime: z
    .object({
      generation: z.string().max(63).optional(),
      sandbox: z
        .object({ disableProcessLogging: z.boolean().optional() })
        .meta({ id: 'WorkspaceSandboxSettings' })
        .optional(),
    })
    .meta({ id: 'WorkspaceRuntime' })
    .optional(),
};

const accountId = z.string().min(1).max(64).optional();

export const WorkspaceInput = z
  .object({ name: WorkspaceName, accountId, ...changeable })
  .meta({ id: 'WorkspaceInput' });

/** The name cannot change: if sent, it must equal the name in the path. */
export const WorkspaceChange = z
  .object({ name: z.string().max(256).optional(), ...changeable })
  .meta({ id: 'WorkspaceChange' });

export const countedResources = [
  'agents',
  'functions',
  'models',
  'sandboxes',
  'policies',
  'jobs',
  'volumes',
  'drives',
  'volumetemplates',
  'integrationconnections',
  'previews',
  'customdomains',
  'serviceaccounts',
  'images',
] as const;

export const Workspace = z
  .object({
    id: readOnly(z.string()),
    name: z.string(),
    accountId: z.string(),
    ...changeable,
    hipaaInfo: readOnly(
      z
        .object({
          accountEnabled: z.boolean().optional(),
          unsafe: z
            .object({
              enabled: z.boolean().optional(),
              updatedAt: Timestamp.optional(),
              updatedBy: z.string().optional(),
            })
            .optional(),
        })
        .optional(),
    ),
    resourceCounts: readOnly(z.record(z.enum(countedResources), z.int()).optional()),
    status: readOnly(z.enum(workspaceStatuses)),
    statusReason: readOnly(z.string().optional()),
    createdAt: readOnly(Timestamp.optional()),
    updatedAt: readOnly(Timestamp.optional()),
    createdBy: readOnly(z.string().optional()),
    updatedBy: readOnly(z.string().optional()),
  })
  .meta({ id: 'Workspace' });

export const WorkspaceAvailability = z
  .object({ available: z.boolean(), message: z.string(), reason: z.string().optional() })
  .meta({ id: 'WorkspaceAvailability' });

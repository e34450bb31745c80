// Members, invitations and service accounts; control-plane sheet 2.3. Field names mix two spellings, as clients know them.
import { z } from 'zod';
import { Timestamp } from './text.ts';
import { Role, Workspace } from './workspace.ts';

const text = z.string().optional();

export const Email = z.email().max(254);

export const WorkspaceUser = z
  .object({
    accepted: z.boolean(),
    email: text,
    email_verified: z.boolean().optional(),
    expired: z.boolean().optional(),
    family_name: text,
    given_name: text,
    role: Role,
    source: z.enum(['directory_sync', 'invitation', 'domain_capture']).optional(),
    sub: text,
  })
  .meta({ id: 'WorkspaceUser' });

export const PendingInvitation = z
  .object({
    createdAt: Timestamp.optional(),
    updatedAt: Timestamp.optional(),
    createdBy: text,
    updatedBy: text,
    email: z.string(),
    expiresAt: Timestamp,
    invitedBy: text,
    role: Role,
    workspace: z.string(),
  })
  .meta({ id: 'PendingInvitation' });

export const PendingInvitationAccept = z
  .object({ email: z.string(), workspace: Workspace })
  .meta({ id: 'PendingInvitationAccept' });

export const PendingInvitationRender = z
  .object({
    account: z.object({ id: z.string(), displayName: text }).optional(),
    email: z.string(),
    expiresAt: Timestamp,
    invitationId: z.string(),
    invitedAt: Timestamp,
    invitedBy: z.object({ sub: text, email: text, given_name: text, family_name: text }).optional(),
    role: Role,
    type: z.enum(['workspace', 'account_admin']),
    workspace: z.object({ name: z.string(), displayName: text }).optional(),
    workspaceDetails: z.object({ emails: z.array(z.string()), user_number: z.int() }).optional(),
  })
  .meta({ id: 'PendingInvitationRender' });

export const ServiceAccount = z
  .object({
    client_id: z.string(),
    name: z.string(),
    description: text,
    role: Role.optional(),
    created_at: Timestamp.optional(),
    updated_at: Timestamp.optional(),
  })
  .meta({ id: 'ServiceAccount' });

/** Only the answer of the creation contains the secret. */
export const ServiceAccountWithSecret = ServiceAccount.extend({ client_secret: z.string() }).meta({
  id: 'ServiceAccountWithSecret',
});

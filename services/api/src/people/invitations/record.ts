// Stored invitations, and the query by which an invited person finds theirs.
import { requestErrors } from '@berth/contract';
import type { Tables } from '@berth/database';
import type { Selectable } from 'kysely';
import type { WriteCall } from '../../http/call.ts';
import { requirePerson } from '../require-person.ts';
import { lockWorkspace, type WorkspaceRow } from '../workspaces/record.ts';

export const invitationColumns = [
  'id',
  'email',
  'role',
  'invited_by',
  'created_at',
  'updated_at',
  'expires_at',
] as const;

export type InvitationRow = Pick<Selectable<Tables['invitations']>, (typeof invitationColumns)[number]>;

export const renderInvitation = (row: InvitationRow, workspaceName: string) => ({
  email: row.email,
  role: row.role,
  workspace: workspaceName,
  invitedBy: row.invited_by,
  expiresAt: row.expires_at.toISOString(),
  createdAt: row.created_at.toISOString(),
  createdBy: row.invited_by,
  updatedAt: row.updated_at.toISOString(),
});

interface Offer {
  readonly invitation: InvitationRow;
  readonly workspace: WorkspaceRow;
}

/**
 * The caller's own open invitation to the workspace, with the workspace locked. A missing workspace, no invitation, an
 * invitation of another person and an expired invitation all get the same 404, so that workspace names cannot be
 * probed.
 */
export async function takeOwnInvitation(call: WriteCall, workspaceName: string, what: string): Promise<Offer> {
  const { tx, principal, dependencies } = call;
  requirePerson(principal, what);
  const found = await tx
    .selectFrom('workspaces')
    .innerJoin('invitations', 'invitations.workspace_id', 'workspaces.id')
    .select('workspaces.id')
    .where('workspaces.name', '=', workspaceName)
    .where('invitations.email', '=', principal.email ?? '')
    .where('invitations.state', '=', 'open')
    .executeTakeFirst();
  if (found === undefined) throw requestErrors.not_found();
  const workspace = await lockWorkspace(tx, found.id);
  const invitation = await tx
    .selectFrom('invitations')
    .select(invitationColumns)
    .where('workspace_id', '=', workspace.id)
    .where('email', '=', principal.email ?? '')
    .where('state', '=', 'open')
    .where('expires_at', '>', new Date(dependencies.now()))
    .executeTakeFirst();
  if (invitation === undefined) throw requestErrors.not_found();
  return { invitation, workspace };
}

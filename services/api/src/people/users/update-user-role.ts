import { type updateUserRole as operation, requestErrors } from '@berth/contract';
import type { WriteCall } from '../../http/call.ts';
import { requireAnotherAdmin } from '../workspaces/last-admin.ts';
import { lockWorkspace } from '../workspaces/record.ts';
import { findInvitation, findMember, renderInvited, renderMember } from './record.ts';

export async function updateUserRole(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, workspace, body, dependencies } = call;
  const { subOrEmail } = call.params;
  const { role } = body;
  await lockWorkspace(tx, workspace.id);
  const member = await findMember(tx, workspace.id, subOrEmail);
  if (member === undefined) return updateInvitation(call);
  if (role !== 'admin') await requireAnotherAdmin(tx, workspace.id, member.id);
  await tx
    .updateTable('workspace_members')
    .set({ role })
    .where('workspace_id', '=', workspace.id)
    .where('user_id', '=', member.id)
    .execute();
  call.target(`user/${member.email}`);
  call.afterCommit(() => dependencies.authenticator.forget(({ subject }) => subject === member.id));
  return renderMember({ ...member, role });
}

/** An invited person will join with the new role. */
async function updateInvitation(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, workspace, body, params, dependencies } = call;
  const invitation = await findInvitation(tx, workspace.id, params.subOrEmail);
  if (invitation === undefined) throw requestErrors.not_found();
  const at = dependencies.now();
  await tx
    .updateTable('invitations')
    .set({ role: body.role, updated_at: new Date(at) })
    .where('id', '=', invitation.id)
    .execute();
  call.target(`user/${invitation.email}`);
  return renderInvited(invitation, at, body.role);
}

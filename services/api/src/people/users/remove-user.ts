import { type removeUser as operation, requestErrors } from '@berth/contract';
import type { WriteCall } from '../../http/call.ts';
import { requireAnotherAdmin } from '../workspaces/last-admin.ts';
import { lockWorkspace } from '../workspaces/record.ts';
import { findInvitation, findMember } from './record.ts';

export async function removeUser(call: WriteCall<typeof operation>): Promise<undefined> {
  const { tx, workspace, dependencies } = call;
  const { subOrEmail } = call.params;
  await lockWorkspace(tx, workspace.id);
  const member = await findMember(tx, workspace.id, subOrEmail);
  if (member === undefined) return withdrawInvitation(call);
  await requireAnotherAdmin(tx, workspace.id, member.id);
  await tx
    .deleteFrom('workspace_members')
    .where('workspace_id', '=', workspace.id)
    .where('user_id', '=', member.id)
    .execute();
  call.target(`user/${member.email}`);
  call.afterCommit(() => dependencies.authenticator.forget(({ subject }) => subject === member.id));
}

async function withdrawInvitation(call: WriteCall<typeof operation>): Promise<undefined> {
  const { tx, workspace, params, dependencies } = call;
  const invitation = await findInvitation(tx, workspace.id, params.subOrEmail);
  if (invitation === undefined) throw requestErrors.not_found();
  await tx
    .updateTable('invitations')
    .set({ state: 'revoked', updated_at: new Date(dependencies.now()) })
    .where('id', '=', invitation.id)
    .execute();
  call.target(`user/${invitation.email}`);
}

import type { joinWorkspace as operation } from '@berth/contract';
import type { WriteCall } from '../../http/call.ts';
import { renderWorkspace } from '../workspaces/record.ts';
import { takeOwnInvitation } from './record.ts';

export async function joinWorkspace(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, principal, params, dependencies } = call;
  const { invitation, workspace } = await takeOwnInvitation(call, params.workspaceName, 'join a workspace');
  await tx
    .updateTable('invitations')
    .set({ state: 'accepted', updated_at: new Date(dependencies.now()) })
    .where('id', '=', invitation.id)
    .execute();
  await tx
    .insertInto('workspace_members')
    .values({ workspace_id: workspace.id, user_id: principal.subject, role: invitation.role, source: 'invitation' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  call.target(`workspace/${workspace.name}`);
  call.afterCommit(() => dependencies.authenticator.forget(({ subject }) => subject === principal.subject));
  return { email: invitation.email, workspace: renderWorkspace(workspace) };
}

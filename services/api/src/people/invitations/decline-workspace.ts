import type { declineWorkspace as operation } from '@berth/contract';
import type { WriteCall } from '../../http/call.ts';
import { renderInvitation, takeOwnInvitation } from './record.ts';

export async function declineWorkspace(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, params, dependencies } = call;
  const { invitation, workspace } = await takeOwnInvitation(call, params.workspaceName, 'decline an invitation');
  const updated_at = new Date(dependencies.now());
  await tx.updateTable('invitations').set({ state: 'declined', updated_at }).where('id', '=', invitation.id).execute();
  call.target(`workspace/${workspace.name}`);
  return renderInvitation({ ...invitation, updated_at }, workspace.name);
}

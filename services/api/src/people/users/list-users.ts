import type { ReadCall } from '../../http/call.ts';
import { renderInvited, renderMember, selectInvitations, selectMembers } from './record.ts';

/** Members first, then open invitations, each ordered by e-mail address. */
export async function listUsers({ database, workspace, dependencies }: ReadCall): Promise<unknown> {
  const members = await selectMembers(database, workspace.id).execute();
  const invited = await selectInvitations(database, workspace.id).execute();
  const nowMs = dependencies.now();
  return [...members.map(renderMember), ...invited.map((row) => renderInvited(row, nowMs))];
}

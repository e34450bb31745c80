import type { WriteCall } from '../../http/call.ts';
import { requirePerson } from '../require-person.ts';
import { requireAnotherAdmin } from './last-admin.ts';
import { lockWorkspace, renderWorkspace } from './record.ts';

export async function leaveWorkspace(call: WriteCall): Promise<unknown> {
  const { tx, workspace, principal, dependencies } = call;
  requirePerson(principal, 'leave a workspace');
  const row = await lockWorkspace(tx, workspace.id);
  await requireAnotherAdmin(tx, row.id, principal.subject);
  await tx
    .deleteFrom('workspace_members')
    .where('workspace_id', '=', row.id)
    .where('user_id', '=', principal.subject)
    .execute();
  call.target(`workspace/${row.name}`);
  call.afterCommit(() => dependencies.authenticator.forget(({ subject }) => subject === principal.subject));
  return renderWorkspace(row);
}

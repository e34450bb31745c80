import type { ReadCall } from '../../http/call.ts';
import { renderWorkspace, workspaceColumns } from './record.ts';

/** Reads the database, because the cached principal may lack a workspace that the caller has just created. */
export async function listWorkspaces({ database, principal }: ReadCall): Promise<unknown> {
  const mine =
    principal.subjectType === 'user'
      ? database.selectFrom('workspace_members').select('workspace_id').where('user_id', '=', principal.subject)
      : database.selectFrom('service_accounts').select('workspace_id').where('client_id', '=', principal.subject);
  const rows = await database
    .selectFrom('workspaces')
    .select(workspaceColumns)
    .where('id', 'in', mine)
    .orderBy('name')
    .execute();
  return rows.map(renderWorkspace);
}

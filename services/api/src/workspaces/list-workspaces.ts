import type { ReadCall } from '../http/call.ts';
import { renderWorkspace, workspaceColumns } from './record.ts';

/** Asked of the database, since what is remembered of a caller may lack the workspace they just made. */
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

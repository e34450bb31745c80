import type { ReadCall } from '../../http/call.ts';
import { renderServiceAccount, serviceAccountColumns } from './record.ts';

export async function listServiceAccounts({ database, workspace }: ReadCall): Promise<unknown> {
  const rows = await database
    .selectFrom('service_accounts')
    .select(serviceAccountColumns)
    .where('workspace_id', '=', workspace.id)
    .orderBy('created_at', 'desc')
    .orderBy('client_id', 'desc')
    .execute();
  return rows.map(renderServiceAccount);
}

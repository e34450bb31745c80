import type { DatabaseTransaction } from '@berth/database';
import { peopleErrors } from '../errors.ts';

/**
 * Refuses when the user is the last admin; members who are not admins may always leave. Call it with the workspace
 * locked.
 */
export async function requireAnotherAdmin(tx: DatabaseTransaction, workspaceId: string, userId: string): Promise<void> {
  const admins = await tx
    .selectFrom('workspace_members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .limit(2)
    .execute();
  if (admins.length === 1 && admins[0]?.user_id === userId) throw peopleErrors.last_admin();
}

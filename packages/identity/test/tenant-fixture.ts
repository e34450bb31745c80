// Rows that the tests of this package need; the api creates them with its own steps.
import { type Database, uuidv7 } from '@berth/database';

export async function insertAccount(db: Database): Promise<string> {
  const id = uuidv7();
  await db
    .insertInto('accounts')
    .values({ id, display_name: 'Acme', owner_email: 'owner@example.com', plan: 'free', tier: 'tier-1' })
    .execute();
  return id;
}

export async function insertWorkspace(db: Database, accountId: string, name: string): Promise<string> {
  const id = uuidv7();
  await db
    .insertInto('workspaces')
    .values({ id, account_id: accountId, name, status: 'ready', created_by: 'test', updated_by: 'test' })
    .execute();
  return id;
}

export async function insertServiceAccount(
  db: Database,
  workspaceId: string,
  role: 'member' | 'admin',
): Promise<string> {
  const id = uuidv7();
  await db
    .insertInto('service_accounts')
    .values({ client_id: id, workspace_id: workspaceId, name: 'robot', role, secret_hash: Buffer.alloc(32) })
    .execute();
  return id;
}

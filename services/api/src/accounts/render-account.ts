import type { Database } from '@berth/database';
import { sql } from 'kysely';

interface AccountRow {
  readonly id: string;
  readonly display_name: string;
  readonly owner_email: string;
  readonly plan: string;
  readonly tier: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly admins: string[];
}

interface Held {
  readonly accountId: string;
  readonly role: 'member' | 'admin';
}

/** Accounts as their caller may see them, in the order of their ids, which is the order of their creation. */
export async function loadAccounts(database: Database, held: readonly Held[]) {
  const { rows } = await sql<AccountRow>`
    select a.id, a.display_name, a.owner_email, a.plan, a.tier, a.created_at, a.updated_at,
      array(select m.user_id::text from account_members m where m.account_id = a.id and m.role = 'admin' order by 1) as admins
    from accounts a where a.id = any(${held.map(({ accountId }) => accountId)}::uuid[]) order by a.id`.execute(
    database,
  );
  return rows.map((row) => renderAccount(row, held.find(({ accountId }) => accountId === row.id)?.role ?? 'member'));
}

/** Whoever was invited to one workspace is not told who runs the account. */
function renderAccount(row: AccountRow, role: Held['role']) {
  const { display_name, owner_email, plan, tier, admins } = row;
  const toAdmin = role === 'admin';
  return {
    id: row.id,
    metadata: { displayName: display_name, ...(toAdmin ? { ownerEmail: owner_email } : {}) },
    spec: { subscription: { plan, tier }, ...(toAdmin ? { admins } : {}) },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

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

/**
 * Loads the caller's accounts, limited to the fields the caller may see, ordered by id, which is the order of creation.
 */
export async function loadAccounts(database: Database, held: readonly Held[]) {
  const { rows } = await sql<AccountRow>`
    select a.id, a.display_name, a.owner_email, a.plan, a.tier, a.created_at, a.updated_at,
      array(select m.user_id::text from account_members m where m.account_id = a.id and m.role = 'admin' order by 1) as admins
    from accounts a where a.id = any(${held.map(({ accountId }) => accountId)}::uuid[]) order by a.id`.execute(
    database,
  );
  return rows.map((row) => renderAccount(row, held.find(({ accountId }) => accountId === row.id)?.role ?? 'member'));
}

/** Only account admins see the owner's address and the list of admins; a person invited to one workspace does not. */
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

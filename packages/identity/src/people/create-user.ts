import type { Brand } from '@berth/contract';
import type { Database, DatabaseTransaction } from '@berth/database';
import { insertUserWithKey, parseEmail } from './insert-user.ts';

export interface NewUser {
  readonly email: string;
  readonly accountId?: string;
  readonly accountRole?: 'member' | 'admin';
}

/** Operator command that creates a user until there is a login; the key is shown once. */
export async function createUser(
  db: Database,
  brand: Brand,
  input: NewUser,
): Promise<{ userId: string; apiKey: string }> {
  const { accountId, accountRole } = input;
  if (accountId === undefined && accountRole !== undefined) {
    throw new Error('A role in an account needs the account. Give its id too.');
  }
  const email = parseEmail(input.email);
  return db.transaction().execute(async (tx) => {
    if (accountId !== undefined) await requireAccount(tx, accountId);
    const user = await insertUserWithKey(tx, brand, email);
    if (accountId !== undefined) {
      await tx
        .insertInto('account_members')
        .values({ account_id: accountId, user_id: user.userId, role: accountRole ?? 'member' })
        .execute();
    }
    return user;
  });
}

async function requireAccount(tx: DatabaseTransaction, accountId: string): Promise<void> {
  // Compared as text, so that a malformed id counts as unknown, like a wrong one.
  const account = await tx
    .selectFrom('accounts')
    .select('id')
    .where((eb) => eb(eb.cast<string>('id', 'text'), '=', accountId.toLowerCase()))
    .executeTakeFirst();
  if (account === undefined) throw new Error(`There is no account ${accountId}. Check its id, or leave it out.`);
}

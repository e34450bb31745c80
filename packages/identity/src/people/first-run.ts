import type { Brand } from '@berth/contract';
import { type Database, type DatabaseTransaction, uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import type { Keyring } from '../sealing/keyring.ts';
import { insertUserWithKey, parseEmail } from './insert-user.ts';

export interface FirstRunInput {
  readonly email: string;
  readonly accountName: string;
  readonly tier: string;
  readonly plan: string;
}

/** Advisory lock, any fixed number: two concurrent first runs must not both find an empty deployment. */
const lockId = 7_305_129_002;

/**
 * Creates the account, its first admin and the admin's key, which is shown once. The workspace is created afterwards,
 * like any other.
 */
export async function firstRun(
  db: Database,
  keyring: Keyring,
  brand: Brand,
  input: FirstRunInput,
): Promise<{ accountId: string; userId: string; apiKey: string }> {
  const email = parseEmail(input.email);
  // Checked before anything is written: a master key that does not open the stored keys must stop the first run.
  await keyring.deploymentKey(db, 'cursor');
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${lockId})`.execute(tx);
    await requireNoAccount(tx);
    const accountId = uuidv7();
    await tx
      .insertInto('accounts')
      .values({
        id: accountId,
        display_name: input.accountName,
        owner_email: email,
        plan: input.plan,
        tier: input.tier,
      })
      .execute();
    const user = await insertUserWithKey(tx, brand, email);
    await tx
      .insertInto('account_members')
      .values({ account_id: accountId, user_id: user.userId, role: 'admin' })
      .execute();
    return { accountId, ...user };
  });
}

async function requireNoAccount(tx: DatabaseTransaction): Promise<void> {
  const account = await tx.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  if (account === undefined) return;
  throw new Error(
    'This deployment has an account already, so its first run is over. Sign in with an existing key, or create a user for it.',
  );
}

import type { Brand } from '@berth/contract';
import { type DatabaseTransaction, uuidv7 } from '@berth/database';
import { z } from 'zod';
import { newApiKey } from '../keys/api-keys.ts';

const Email = z.string().trim().toLowerCase().pipe(z.email());

export function parseEmail(text: string): string {
  const parsed = Email.safeParse(text);
  if (!parsed.success) throw new Error(`"${text}" is not an e-mail address. Give one such as ada@example.com.`);
  return parsed.data;
}

/** Inserts a user and their first key. The key's value exists only in the return value. */
export async function insertUserWithKey(
  tx: DatabaseTransaction,
  brand: Brand,
  email: string,
): Promise<{ userId: string; apiKey: string }> {
  const userId = uuidv7();
  const inserted = await tx
    .insertInto('users')
    .values({ id: userId, email })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows !== 1n)
    throw new Error(`A user with the e-mail address ${email} exists already. Use another address.`);
  const { id, value, hash } = newApiKey(brand);
  await tx
    .insertInto('api_keys')
    .values({ id, hash, user_id: userId, name: 'first key', created_by: userId })
    .execute();
  return { userId, apiKey: value };
}

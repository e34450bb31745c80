// A join token lets one machine become a runner, once. The part after the dot is the fingerprint of the deployment's
// node authority, which the machine may trust.
import { randomBytes } from 'node:crypto';
import type { Database, DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import { hashSecret } from '../keys/hash-secret.ts';
import type { NodeAuthority } from './node-authority.ts';

export interface NewJoinToken {
  readonly region: string;
  readonly lifeSeconds: number;
}

/** Returns the token's text; only a hash of it is kept. */
export async function createJoinToken(
  database: Database,
  authority: Pick<NodeAuthority, 'fingerprint'>,
  { region, lifeSeconds }: NewJoinToken,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await database
    .insertInto('runner_tokens')
    .values({
      hash: hashSecret(secret),
      region,
      expires_at: sql<Date>`now() + make_interval(secs => ${lifeSeconds})`,
    })
    .execute();
  return `${secret}.${authority.fingerprint}`;
}

const format = /^([\w-]{43})\.[0-9a-f]{64}$/;

/** Digest under which the token is kept; undefined for a text that is no join token. */
export function joinTokenDigest(token: string): Buffer | undefined {
  const [, secret] = format.exec(token) ?? [];
  return secret === undefined ? undefined : hashSecret(secret);
}

/** For each digest, whether its token would still let a machine join. No token is used up. Answers are in the order of the digests. */
export async function areGoodJoinTokens(database: Database, digests: readonly Buffer[]): Promise<boolean[]> {
  const rows = await database
    .selectFrom('runner_tokens')
    .select('hash')
    .where(sql<boolean>`hash = any(${digests}::bytea[])`)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .execute();
  return digests.map((digest) => rows.some(({ hash }) => digest.equals(hash)));
}

export type TakenToken = { readonly region: string } | { readonly refused: 'unknown' | 'used' | 'expired' };

/** Marks the token as used in the transaction that makes its runner. */
export async function takeJoinToken(tx: DatabaseTransaction, token: string): Promise<TakenToken> {
  const [secret = ''] = token.split('.');
  const hash = hashSecret(secret);
  const taken = await tx
    .updateTable('runner_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('region')
    .executeTakeFirst();
  if (taken !== undefined) return taken;
  const known = await tx.selectFrom('runner_tokens').select('used_at').where('hash', '=', hash).executeTakeFirst();
  if (known === undefined) return { refused: 'unknown' };
  return { refused: known.used_at === null ? 'expired' : 'used' };
}

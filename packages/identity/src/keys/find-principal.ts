// Finds the owners of keys with all their rights in one round trip. PostgreSQL's clock decides about expiry, because it
// is the only clock shared by all servers.
import type { Database } from '@berth/database';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Principal } from '../principal.ts';

const MemberRole = z.enum(['member', 'admin']);

const Row = z.object({
  hash: z.instanceof(Buffer),
  key_id: z.string(),
  scopes: z.array(z.string()).nullable(),
  user_id: z.string().nullable(),
  service_account_id: z.string().nullable(),
  email: z.string().nullable(),
  remaining_seconds: z.number().nullable(),
  use_is_due: z.boolean(),
  memberships: z.array(
    z.object({ workspaceId: z.string(), workspaceName: z.string(), accountId: z.string(), role: MemberRole }),
  ),
  accounts: z.array(z.object({ accountId: z.string(), role: MemberRole })),
});

export interface FoundPrincipal {
  readonly principal: Principal;
  /** Undefined when the key never expires. */
  readonly remainingMs: number | undefined;
  /** True when no use was recorded within the last minute. */
  readonly useIsDue: boolean;
}

export async function findPrincipal(db: Database, hash: Buffer): Promise<FoundPrincipal | undefined> {
  return (await findPrincipals(db, [hash]))[0];
}

/** Results are in the order of the hashes. */
export async function findPrincipals(db: Database, hashes: readonly Buffer[]): Promise<(FoundPrincipal | undefined)[]> {
  const rows = await readRows(db, sql`hash = any(${hashes}::bytea[])`);
  if (rows.length === 0) return hashes.map(() => undefined);
  const found = new Map(rows.map((row) => [row.hash.toString('base64'), toFound(row)]));
  return hashes.map((hash) => found.get(hash.toString('base64')));
}

/** The owner of a key with the rights of now, for what was asked for with the key earlier. Undefined once the key is no longer valid. */
export async function findPrincipalOfKey(db: Database, keyId: string): Promise<Principal | undefined> {
  const [row] = await readRows(db, sql`id = ${keyId}`);
  return row && toFound(row).principal;
}

/** The statement contains no star, so that it is prepared. */
async function readRows(db: Database, isAsked: RawBuilder<boolean>): Promise<z.infer<typeof Row>[]> {
  const { rows } = await sql`
    with key as (
      select id, hash, user_id, service_account_id, scopes, expires_at, last_used_at
        from api_keys where ${isAsked} and (expires_at is null or expires_at > now())
    ), membership as (
      select key.id as key_id, w.id, w.name, w.account_id, m.role
        from key join workspace_members m on m.user_id = key.user_id join workspaces w on w.id = m.workspace_id
      union all
      select key.id, w.id, w.name, w.account_id, s.role
        from key join service_accounts s on s.client_id = key.service_account_id join workspaces w on w.id = s.workspace_id
    ), account as (
      select key_id, account_id, min(role) as role from (
        select key.id as key_id, m.account_id, m.role from key join account_members m on m.user_id = key.user_id
        union all
        select key_id, account_id, 'member' from membership
      ) every_way
      -- 'admin' sorts before 'member'.
      group by key_id, account_id
    )
    select
      key.hash, key.id as key_id, key.scopes, key.user_id, key.service_account_id, users.email,
      extract(epoch from key.expires_at - now())::float8 as remaining_seconds,
      (key.last_used_at is null or key.last_used_at < now() - interval '1 minute') as use_is_due,
      (select coalesce(jsonb_agg(jsonb_build_object('workspaceId', id, 'workspaceName', name,
         'accountId', account_id, 'role', role) order by name), '[]') from membership where key_id = key.id) as memberships,
      (select coalesce(jsonb_agg(jsonb_build_object('accountId', account_id, 'role', role)
         order by account_id), '[]') from account where key_id = key.id) as accounts
    from key left join users on users.id = key.user_id`.execute(db);
  return rows.map((row) => Row.parse(row));
}

function toFound(row: z.infer<typeof Row>): FoundPrincipal {
  return {
    principal: {
      keyId: row.key_id,
      ...subjectOf(row),
      ...(row.email === null ? {} : { email: row.email }),
      ...(row.scopes === null ? {} : { scopes: row.scopes }),
      memberships: row.memberships,
      accounts: row.accounts,
    },
    remainingMs: row.remaining_seconds === null ? undefined : row.remaining_seconds * 1_000,
    useIsDue: row.use_is_due,
  };
}

function subjectOf(row: z.infer<typeof Row>): Pick<Principal, 'subject' | 'subjectType'> {
  if (row.user_id !== null) return { subject: row.user_id, subjectType: 'user' };
  if (row.service_account_id !== null) return { subject: row.service_account_id, subjectType: 'service_account' };
  throw new Error(`Key ${row.key_id} has no owner.`);
}

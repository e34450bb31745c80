// Takes calls that are due. A claim is a lease: where the process that holds it is killed, the call is due again when the lease
// ends.
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import type { CallPayload, ClaimedCall } from './claimed-call.ts';

export interface ClaimSettings {
  readonly limit: number;
  /** Calls of one agent that are performed at once, in the whole deployment. */
  readonly perAgent: number;
  readonly leaseMs: number;
}

/**
 * `agents` jumps from one agent with open calls to the next in the index, and only the oldest calls of each are read. Workspaces
 * take turns. `now()` and not `clock_timestamp()`, which an index cannot be searched by. Claimed calls keep their place in
 * the count.
 */
export async function claimCalls(
  database: Database,
  { limit, perAgent, leaseMs }: ClaimSettings,
): Promise<ClaimedCall[]> {
  const { rows } = await sql<ClaimedCall>`
    with recursive agents as (
      (select workspace_id, resource_uid from invocations where ended_at is null
        order by workspace_id, resource_uid limit 1)
      union all
      select next.workspace_id, next.resource_uid from agents cross join lateral (
        select workspace_id, resource_uid from invocations
        where ended_at is null and (workspace_id, resource_uid) > (agents.workspace_id, agents.resource_uid)
        order by workspace_id, resource_uid limit 1) as next
    ), oldest as (
      select due.*, row_number() over (partition by due.workspace_id, due.resource_uid order by due.next_at, due.id) as place
      from agents cross join lateral (
        select id, workspace_id, resource_uid, next_at, coalesce(claimed_until > now(), false) as is_claimed
        from invocations
        where ended_at is null and workspace_id = agents.workspace_id and resource_uid = agents.resource_uid
          and next_at <= now()
        order by next_at limit ${perAgent}) as due
    ), ranked as (
      select id, next_at, is_claimed,
        row_number() over (partition by workspace_id order by is_claimed desc, place, next_at, id) as of_workspace
      from oldest
    ), chosen as (
      select id, status from invocations
      where id = any(array(select id from ranked where not is_claimed order by of_workspace, next_at, id limit ${limit}))
        and ended_at is null and next_at <= now() and (claimed_until is null or claimed_until <= now())
      for update skip locked
    )
    update invocations set claim_id = gen_random_uuid(),
      claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})
    from chosen where invocations.id = chosen.id
    returning invocations.id, claim_id as "claimId", workspace_id as "workspaceId", resource_uid as "resourceUid",
      resource_name as "resourceName", key_id as "keyId", is_by_member as "isByMember", method, path,
      timeout_seconds as "timeoutSeconds", max_runs as "maxRuns", runs, chosen.status = 'running' as "wasRunning",
      extract(epoch from clock_timestamp() - accepted_at)::float8 * 1000 as "ageMs",
      extract(epoch from clock_timestamp() - next_at)::float8 * 1000 as "waitedMs"`.execute(database);
  return rows;
}

/** Undefined once the claim has ended. */
export async function loadPayload(
  database: Database,
  { id, claimId }: Pick<ClaimedCall, 'id' | 'claimId'>,
): Promise<CallPayload | undefined> {
  const row = await database
    .selectFrom('invocations')
    .select(['headers', 'body'])
    .where('id', '=', id)
    .where('claim_id', '=', claimId)
    .executeTakeFirst();
  return row && { headers: row.headers ?? [], body: row.body ?? Buffer.alloc(0) };
}

/** Prolongs claims, and returns the ids of those that are still held. */
export async function prolongClaims(
  database: Database,
  claims: readonly Pick<ClaimedCall, 'id' | 'claimId'>[],
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    update invocations set claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})
    from unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ claimId }) => claimId)}::uuid[])
      as held (id, claim_id)
    where invocations.id = held.id and invocations.claim_id = held.claim_id
    returning invocations.id`.execute(database);
  return new Set(rows.map(({ id }) => id));
}

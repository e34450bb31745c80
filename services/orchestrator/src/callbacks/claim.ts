// Takes deliveries that are due. A claim is a lease: where the process that holds it is killed, the delivery is due
// again when the lease ends, under the same id.
import type { Database } from '@berth/database';
import { sql } from 'kysely';

export interface ClaimedDelivery {
  readonly id: string;
  readonly workspaceId: string;
  readonly resourceUid: string;
  readonly executionId: string;
  readonly url: string;
  readonly secret: string;
  readonly body: string;
  /** Tries before this one. */
  readonly attempts: number;
  /** Recorded with the result, so that a claim that has ended records nothing. */
  readonly claimedUntil: Date;
}

/** Of the whole deployment, so that one receiver is not flooded and its slow answers delay no other. */
const maxPerHost = 4;
/** Of the whole deployment, so that one workspace with many slow receivers leaves room for others. */
const maxPerWorkspace = 8;

const open = sql`delivered_at is null and given_up_at is null`;

/**
 * `receivers` jumps from one workspace and host to the next in the index, and only the oldest rows of each are read:
 * the cost does not grow with the deliveries that wait for a slow receiver. `now()` and not `clock_timestamp()`, which an
 * index cannot be searched by. Claimed rows keep their place in the count.
 */
export async function claimDue(database: Database, limit: number, leaseMs: number): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with recursive receivers as (
      (select workspace_id, host from deliveries where ${open} order by workspace_id, host limit 1)
      union all
      select next.workspace_id, next.host from receivers cross join lateral (
        select workspace_id, host from deliveries
        where ${open} and (workspace_id, host) > (receivers.workspace_id, receivers.host)
        order by workspace_id, host limit 1) as next
    ), oldest as (
      select due.*, coalesce(claimed_until > now(), false) as is_claimed,
        row_number() over (partition by due.workspace_id, due.host order by next_at) as place
      from receivers cross join lateral (
        select id, workspace_id, host, next_at, claimed_until from deliveries
        where ${open} and deliveries.workspace_id = receivers.workspace_id and deliveries.host = receivers.host
          and next_at <= now()
        order by next_at limit ${maxPerHost}) as due
    ), by_host as (
      select *, row_number() over (partition by host order by is_claimed desc, next_at, id) as of_host from oldest
    ), ranked as (
      select id, next_at, is_claimed,
        row_number() over (partition by workspace_id order by is_claimed desc, place, next_at, id) as of_workspace
      from by_host where is_claimed or of_host <= ${maxPerHost}
    ), chosen as (
      select id from deliveries
      where id = any(array(
          select id from ranked
          where not is_claimed and of_workspace <= ${maxPerWorkspace}
          order by next_at, id limit ${limit}))
        and ${open} and next_at <= now()
        and (claimed_until is null or claimed_until <= now())
      for update skip locked
    )
    update deliveries set claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})
    from chosen where deliveries.id = chosen.id
    returning deliveries.id, workspace_id as "workspaceId", resource_uid as "resourceUid",
      execution_id as "executionId", url, secret, body, attempts, claimed_until as "claimedUntil"`.execute(database);
  return rows;
}

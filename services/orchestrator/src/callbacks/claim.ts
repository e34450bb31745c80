// Takes deliveries that are due. A claim is a lease: where the process that holds it is killed, the delivery is due
// again when the lease ends, under the same id.
import type { Database } from '@berth/database';
import { sql } from 'kysely';

/** A delivery tells the end of an execution or of an invocation, or that a threshold of a budget is reached. */
type DeliverySubject =
  | {
      readonly kind: 'execution';
      readonly executionId: string;
      readonly workspaceId: string;
      readonly resourceUid: string;
    }
  | {
      readonly kind: 'invocation';
      readonly invocationId: string;
      readonly workspaceId: string;
      readonly resourceUid: string;
    }
  | { readonly kind: 'budget'; readonly budgetId: string };

interface Claim {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly body: string;
  /** Tries before this one. */
  readonly attempts: number;
  /** Recorded with the result, so that a claim that has ended records nothing. */
  readonly claimedUntil: Date;
}

export interface ClaimedDelivery extends Claim {
  readonly subject: DeliverySubject;
}

/** A check of the table keeps the columns of all subjects but one empty. */
type ClaimedRow = Claim & {
  readonly workspaceId: string | null;
  readonly resourceUid: string | null;
  readonly executionId: string | null;
  readonly invocationId: string | null;
  readonly budgetId: string | null;
};

/** Of the whole deployment, so that one receiver is not flooded and its slow answers delay no other. */
const maxPerHost = 4;
/**
 * Of the whole deployment, so that one workspace with many slow receivers leaves room for others. The budgets of an account
 * share as many.
 */
const maxPerSender = 8;

const open = sql`delivered_at is null and given_up_at is null`;

/**
 * `receivers` jumps from one sender and host to the next in the index, and only the oldest rows of each are read:
 * the cost does not grow with the deliveries that wait for a slow receiver. `now()` and not `clock_timestamp()`, which an
 * index cannot be searched by. Claimed rows keep their place in the count.
 */
export async function claimDue(database: Database, limit: number, leaseMs: number): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedRow>`
    with recursive receivers as (
      (select sender_id, host from deliveries where ${open} order by sender_id, host limit 1)
      union all
      select next.sender_id, next.host from receivers cross join lateral (
        select sender_id, host from deliveries
        where ${open} and (sender_id, host) > (receivers.sender_id, receivers.host)
        order by sender_id, host limit 1) as next
    ), oldest as (
      select due.*, coalesce(claimed_until > now(), false) as is_claimed,
        row_number() over (partition by due.sender_id, due.host order by next_at) as place
      from receivers cross join lateral (
        select id, sender_id, host, next_at, claimed_until from deliveries
        where ${open} and deliveries.sender_id = receivers.sender_id and deliveries.host = receivers.host
          and next_at <= now()
        order by next_at limit ${maxPerHost}) as due
    ), by_host as (
      select *, row_number() over (partition by host order by is_claimed desc, next_at, id) as of_host from oldest
    ), ranked as (
      select id, next_at, is_claimed,
        row_number() over (partition by sender_id order by is_claimed desc, place, next_at, id) as of_sender
      from by_host where is_claimed or of_host <= ${maxPerHost}
    ), chosen as (
      select id from deliveries
      where id = any(array(
          select id from ranked
          where not is_claimed and of_sender <= ${maxPerSender}
          order by next_at, id limit ${limit}))
        and ${open} and next_at <= now()
        and (claimed_until is null or claimed_until <= now())
      for update skip locked
    )
    update deliveries set claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})
    from chosen where deliveries.id = chosen.id
    returning deliveries.id, workspace_id as "workspaceId", resource_uid as "resourceUid",
      execution_id as "executionId", invocation_id as "invocationId", budget_id as "budgetId", url, secret, body, attempts,
      claimed_until as "claimedUntil"`.execute(database);
  return rows.map(toDelivery);
}

function toDelivery({
  executionId,
  invocationId,
  workspaceId,
  resourceUid,
  budgetId,
  ...claim
}: ClaimedRow): ClaimedDelivery {
  if (budgetId !== null) return { ...claim, subject: { kind: 'budget', budgetId } };
  if (workspaceId === null || resourceUid === null) throw new Error(`Delivery ${claim.id} has no resource.`);
  const of = { workspaceId, resourceUid };
  if (executionId !== null) return { ...claim, subject: { kind: 'execution', executionId, ...of } };
  if (invocationId !== null) return { ...claim, subject: { kind: 'invocation', invocationId, ...of } };
  throw new Error(`Delivery ${claim.id} has no subject.`);
}

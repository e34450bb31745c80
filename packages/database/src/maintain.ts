// Bounds growth: partitions are created ahead and dropped when old; short-lived rows are deleted in small batches.
import { sql } from 'kysely';
import type { Database } from './connect.ts';
import { releasedNameDays, retentionSeconds } from './retention.ts';

interface Kept {
  readonly table: 'resource_events' | 'outbox' | 'audit_log';
  readonly months: number;
}

/** Whole months of rows that are kept. A resource's status is stored with the resource and outlives its events. */
const kept: readonly Kept[] = [
  { table: 'resource_events', months: 3 },
  { table: 'outbox', months: 3 },
  { table: 'audit_log', months: 13 },
];

const batch = 1000;
/** An execution may have 100 000 tasks, which are deleted with it. */
const executionBatch = 10;

async function removeInBatches(remove: () => Promise<number>, size = batch): Promise<number> {
  let removed = 0;
  for (let round = 0; round < 1000; round += 1) {
    const count = await remove();
    removed += count;
    if (count < size) break;
  }
  return removed;
}

interface Removed {
  readonly removedKeys: number;
  readonly removedResources: number;
  readonly removedInstances: number;
  readonly removedTokens: number;
  readonly removedDemand: number;
  readonly removedPreviews: number;
  readonly removedPreviewTokens: number;
  readonly removedNames: number;
  readonly removedExecutions: number;
}

export interface Retention {
  /** Days for which finished executions stay readable. */
  readonly executionDays?: number;
}

/** Runs at start and every hour in each api process; safe to run concurrently. */
export async function maintain(database: Database, { executionDays = 30 }: Retention = {}): Promise<Removed> {
  for (const { table, months } of kept) {
    await sql`select ensure_month_partitions(${table}, current_date, 3)`.execute(database);
    await sql`select drop_month_partitions_before(${table}, (current_date - make_interval(months => ${months}))::date)`.execute(
      database,
    );
  }
  const removedKeys = await removeInBatches(async () => {
    const done = await sql`delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - interval '24 hours' limit ${batch} for update skip locked))`.execute(
      database,
    );
    return Number(done.numAffectedRows ?? 0);
  });
  const removedResources = await removeInBatches(async () => {
    const done = await sql`delete from resources where uid = any(array(
      select uid from resources where terminated_at is not null
        and terminated_at + make_interval(secs => (${retentionSeconds})::double precision) < now()
      limit ${batch} for update skip locked))`.execute(database);
    return Number(done.numAffectedRows ?? 0);
  });
  // Executions are counted under their job. A trigger gives their bytes back to the account's limit.
  const removedExecutions = await removeInBatches(async () => {
    const done = await sql<{ count: number }>`
      with gone as (
        delete from executions where id = any(array(
          select id from executions where completed_at < now() - make_interval(secs => ${executionDays * 86_400})
          limit ${executionBatch} for update skip locked))
        returning workspace_id, job_uid
      ), by_job as (
        select workspace_id, job_uid, count(*) as executions from gone group by 1, 2
      ), counted as (
        update resource_counts set live = greatest(0, live - by_job.executions) from by_job
        where resource_counts.workspace_id = by_job.workspace_id and resource_counts.kind = 'execution'
          and resource_counts.parent_uid = by_job.job_uid
      )
      select count(*)::int as count from gone`.execute(database);
    return done.rows[0]?.count ?? 0;
  }, executionBatch);
  // Readers treat a preview as gone from the moment it expires; only the rows are removed here.
  const removedPreviews = await removeInBatches(async () => {
    const done = await sql<{ count: number }>`select remove_previews(array(
      select uid from resources where kind = 'preview' and expires_at < now() and terminated_at is null
      limit ${batch} for update skip locked)) as count`.execute(database);
    return done.rows[0]?.count ?? 0;
  });
  // Expired tokens stay visible for 7 days, so that refused callers can see why.
  const removedPreviewTokens = await removeInBatches(async () => {
    const done = await sql`delete from preview_tokens where id = any(array(
      select id from preview_tokens where expires_at < now() - interval '7 days' limit ${batch} for update skip locked))`.execute(
      database,
    );
    return Number(done.numAffectedRows ?? 0);
  });
  // Ended instances stay for a day: the failures of a revision are counted from them.
  const removedInstances = await removeInBatches(async () => {
    const done = await sql`delete from instances where id = any(array(
      select id from instances where ended_at < now() - interval '1 day' limit ${batch} for update skip locked))`.execute(
      database,
    );
    return Number(done.numAffectedRows ?? 0);
  });
  const removedTokens = await removeInBatches(async () => {
    const done = await sql`delete from runner_tokens where hash = any(array(
      select hash from runner_tokens where coalesce(used_at, expires_at) < now() - interval '30 days'
      limit ${batch} for update skip locked))`.execute(database);
    return Number(done.numAffectedRows ?? 0);
  });
  const removedDemand = await removeInBatches(async () => {
    const done = await sql`delete from workload_demand where ctid = any(array(
      select ctid from workload_demand where expires_at < now() - interval '1 hour' limit ${batch} for update skip locked))`.execute(
      database,
    );
    return Number(done.numAffectedRows ?? 0);
  });
  const removedNames = await removeInBatches(async () => {
    const done = await sql`delete from released_workspace_names where name = any(array(
      select name from released_workspace_names where released_at < now() - make_interval(days => ${releasedNameDays})
      limit ${batch} for update skip locked))`.execute(database);
    return Number(done.numAffectedRows ?? 0);
  });
  await sql`delete from log_usage where day < current_date - 7`.execute(database);
  // Requests of gateways that were killed while they waited for a certificate.
  await sql`delete from gateway_certificates where asked_at < now() - interval '1 hour'`.execute(database);
  return {
    removedKeys,
    removedResources,
    removedInstances,
    removedTokens,
    removedDemand,
    removedPreviews,
    removedPreviewTokens,
    removedNames,
    removedExecutions,
  };
}

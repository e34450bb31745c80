// Bounds growth: partitions are created ahead and dropped when old; short-lived rows are deleted in small batches.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from './connect.ts';
import { liveResource } from './live.ts';
import { releasedNameDays, retentionSeconds } from './retention.ts';

interface RetainedTable {
  readonly table: 'resource_events' | 'outbox' | 'audit_log';
  readonly months: number;
}

/** Whole months of rows that are kept. A resource's status is stored with the resource and outlives its events. */
const retainedTables: readonly RetainedTable[] = [
  { table: 'resource_events', months: 3 },
  { table: 'outbox', months: 3 },
  { table: 'audit_log', months: 13 },
];

/** Removes up to `batchSize` rows and returns their number. */
interface Removal {
  readonly batchSize: number;
  readonly removeBatch: (database: Database) => Promise<number>;
}

const maxRounds = 1000;
const usualBatchSize = 1000;
/** An execution may have 100 000 tasks, which are deleted with it. */
const executionBatchSize = 10;

/** Rows that another process removes or changes at the moment are skipped. */
const expiredRows = (table: string, key: string, condition: RawBuilder<SqlBool>): Removal => ({
  batchSize: usualBatchSize,
  async removeBatch(database) {
    const done = await sql`delete from ${sql.table(table)} where ${sql.ref(key)} = any(array(
      select ${sql.ref(key)} from ${sql.table(table)} where ${condition} limit ${usualBatchSize} for update skip locked))`.execute(
      database,
    );
    return Number(done.numAffectedRows ?? 0);
  },
});

/** `statement` removes a batch and selects the number of removed rows as `count`. */
const byStatement = (statement: RawBuilder<{ count: number }>, batchSize = usualBatchSize): Removal => ({
  batchSize,
  removeBatch: async (database) => (await statement.execute(database)).rows[0]?.count ?? 0,
});

const idempotencyKeys = expiredRows('idempotency_keys', 'ctid', sql`created_at < now() - interval '24 hours'`);

const resources = expiredRows(
  'resources',
  'uid',
  sql`terminated_at is not null
    and terminated_at + make_interval(secs => (${retentionSeconds})::double precision) < now()`,
);

/** Executions are counted under their job. A trigger gives their bytes back to the account's limit. */
const executions = (keptDays: number): Removal =>
  byStatement(
    sql`
      with gone as (
        delete from executions where id = any(array(
          select id from executions where completed_at < now() - make_interval(secs => ${keptDays * 86_400})
          limit ${executionBatchSize} for update skip locked))
        returning workspace_id, job_uid
      ), by_job as (
        select workspace_id, job_uid, count(*) as executions from gone group by 1, 2
      ), counted as (
        update resource_counts set live = greatest(0, live - by_job.executions) from by_job
        where resource_counts.workspace_id = by_job.workspace_id and resource_counts.kind = 'execution'
          and resource_counts.parent_uid = by_job.job_uid
      )
      select count(*)::int as count from gone`,
    executionBatchSize,
  );

/** Readers treat a preview as gone from the moment it expires; only the rows are removed here. */
const previews = byStatement(sql`select remove_previews(array(
  select uid from resources where kind = 'preview' and expires_at < now() and ${liveResource()}
  limit ${usualBatchSize} for update skip locked)) as count`);

/** Expired tokens stay visible for 7 days, so that refused callers can see why. */
const previewTokens = expiredRows('preview_tokens', 'id', sql`expires_at < now() - interval '7 days'`);

/** Days for which usage of an instance is still accepted after its end: its machine may be away for long. */
const unmeteredDays = 35;

/**
 * Ended instances stay for a day: the failures of a revision are counted from them. An attempt stays until its task
 * knows how it ended, because the task would wait for it without an end. An instance of an account stays until its
 * usage has arrived.
 */
const instances = expiredRows(
  'instances',
  'id',
  sql`ended_at < now() - interval '1 day' and (execution_id is null or settled_at is not null)
    and (account_id is null or metered_at is not null or ended_at < now() - make_interval(days => ${sql.lit(unmeteredDays)}))`,
);

const absences = expiredRows(
  'runner_absences',
  'ctid',
  sql`until < now() - make_interval(days => ${sql.lit(unmeteredDays)})`,
);

const joinTokens = expiredRows(
  'runner_tokens',
  'hash',
  sql`coalesce(used_at, expires_at) < now() - interval '30 days'`,
);

const demand = expiredRows('workload_demand', 'ctid', sql`expires_at < now() - interval '1 hour'`);

const limitWindows = expiredRows('limit_windows', 'ctid', sql`expires_at < now()`);

const workspaceNames = expiredRows(
  'released_workspace_names',
  'name',
  sql`released_at < now() - make_interval(days => ${releasedNameDays})`,
);

/** The condition is written like the index. */
const deliveries = expiredRows(
  'deliveries',
  'id',
  sql`coalesce(delivered_at, given_up_at) < now() - interval '30 days'`,
);

/** Calls stay until they are metered, as instances do. */
const invocations = expiredRows(
  'invocations',
  'id',
  sql`ended_at < now() - interval '30 days'
    and (metered_at is not null or ended_at < now() - make_interval(days => ${sql.lit(unmeteredDays)}))`,
);

async function removeAll(database: Database, { batchSize, removeBatch }: Removal): Promise<number> {
  let removed = 0;
  for (let round = 0; round < maxRounds; round += 1) {
    const count = await removeBatch(database);
    removed += count;
    if (count < batchSize) break;
  }
  return removed;
}

interface RemovedRows {
  readonly removedKeys: number;
  readonly removedResources: number;
  readonly removedInstances: number;
  readonly removedTokens: number;
  readonly removedDemand: number;
  readonly removedPreviews: number;
  readonly removedPreviewTokens: number;
  readonly removedNames: number;
  readonly removedExecutions: number;
  readonly removedDeliveries: number;
  readonly removedAbsences: number;
  readonly removedWindows: number;
  readonly removedInvocations: number;
}

export interface Retention {
  /** Days for which finished executions stay readable. */
  readonly executionDays?: number;
}

/** Runs at start and every hour in each api process; safe to run concurrently. */
export async function maintain(database: Database, { executionDays = 30 }: Retention = {}): Promise<RemovedRows> {
  for (const { table, months } of retainedTables) {
    await sql`select ensure_month_partitions(${table}, current_date, 3)`.execute(database);
    await sql`select drop_month_partitions_before(${table}, (current_date - make_interval(months => ${months}))::date)`.execute(
      database,
    );
  }
  const removed = {
    removedKeys: await removeAll(database, idempotencyKeys),
    removedResources: await removeAll(database, resources),
    removedExecutions: await removeAll(database, executions(executionDays)),
    removedPreviews: await removeAll(database, previews),
    removedPreviewTokens: await removeAll(database, previewTokens),
    removedInstances: await removeAll(database, instances),
    removedTokens: await removeAll(database, joinTokens),
    removedDemand: await removeAll(database, demand),
    removedNames: await removeAll(database, workspaceNames),
    removedDeliveries: await removeAll(database, deliveries),
    removedAbsences: await removeAll(database, absences),
    removedWindows: await removeAll(database, limitWindows),
    removedInvocations: await removeAll(database, invocations),
  };
  await sql`delete from log_usage where day < current_date - 7`.execute(database);
  // Requests of gateways that were killed while they waited for a certificate.
  await sql`delete from gateway_certificates where asked_at < now() - interval '1 hour'`.execute(database);
  return removed;
}

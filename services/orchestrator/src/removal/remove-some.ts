// Removes one batch of the remains of a deleted workspace. Its limits were given back when it was
// deleted; only the bytes of executions are given back here, by a trigger for each execution. Safe to run
// twice or to be killed at any line.
import { type Database, type DatabaseTransaction, outboxTopics, unendedInstance } from '@berth/database';
import { sql } from 'kysely';

const batch = 500;
/** Small, because each execution may have 100 000 tasks. */
const executionBatch = 10;
const taskBatch = 5_000;

type Step = (tx: DatabaseTransaction, workspaceId: string) => Promise<number>;

/**
 * Attempts before their tasks: a placement under way holds tasks, so the run after the one that has waited for it finds
 * its attempts.
 */
const steps: readonly Step[] = [
  retireAttempts,
  removeTasks,
  removeExecutions,
  emptyInvocations,
  removeDeliveries,
  removeResources,
  removeCounters,
];

/** False once nothing is left. */
export function removeSome(database: Database, workspaceId: string): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    for (const step of steps) if ((await step(tx, workspaceId)) > 0) return true;
    await tx.deleteFrom('deleted_workspaces').where('id', '=', workspaceId).execute();
    return false;
  });
}

const firstExecutions = (workspaceId: string) => sql`
  select id from executions where workspace_id = ${workspaceId} order by id limit ${executionBatch}`;

/**
 * Their runners remove them and read the change by polling. A job that was deleted earlier has no row any more that would
 * lead to them.
 */
async function retireAttempts(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const done = await sql`
    update instances set desired = 'gone' where id = any(array(
      select id from instances
      where execution_id in (${firstExecutions(workspaceId)}) and settled_at is null
        and ${unendedInstance()} and desired <> 'gone'
      order by id limit ${batch} for update))`.execute(tx);
  return Number(done.numAffectedRows ?? 0);
}

async function removeTasks(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const done = await sql`
    delete from tasks where (execution_id, index) in (
      select execution_id, index from tasks where execution_id in (${firstExecutions(workspaceId)}) limit ${taskBatch})`.execute(
    tx,
  );
  return Number(done.numAffectedRows ?? 0);
}

async function removeExecutions(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const done = await sql`delete from executions where id in (${firstExecutions(workspaceId)})`.execute(tx);
  return Number(done.numAffectedRows ?? 0);
}

/** The rows stay until their usage is stored, without anything that the workspace has sent. */
async function emptyInvocations(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const done = await sql`
    update invocations set status = case when ended_at is null then 'failed' else status end,
      ended_at = coalesce(ended_at, clock_timestamp()), claim_id = null, claimed_until = null, method = '', path = '',
      headers = null, body = null, callback = null, error = null, subject = null
    where id = any(array(
      select id from invocations where workspace_id = ${workspaceId} and method <> '' order by id limit ${batch} for update))`.execute(
    tx,
  );
  return Number(done.numAffectedRows ?? 0);
}

async function removeDeliveries(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const done = await sql`
    delete from deliveries where id = any(array(
      select id from deliveries where workspace_id = ${workspaceId} limit ${batch}))`.execute(tx);
  return Number(done.numAffectedRows ?? 0);
}

/**
 * Enqueues a reconcile for resources that still have instances, to end them. Instances are read in a separate
 * statement, after the rows are locked: a placement under way has committed by then, and a later one finds no resource.
 */
async function removeResources(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ uid: string }>`
    select uid from resources where workspace_id = ${workspaceId} limit ${batch} for update`.execute(tx);
  await sql`
    with gone as (delete from resources where uid = any(${rows.map(({ uid }) => uid)}::uuid[]) returning uid)
    insert into outbox (topic, key, workspace_id)
    select ${sql.lit(outboxTopics.reconcile)}, uid::text, ${workspaceId}::uuid from gone
    where exists (
      select 1 from instances where resource_uid = uid and ${unendedInstance()} and desired <> 'gone'
    )`.execute(tx);
  return rows.length;
}

async function removeCounters(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const done = await sql`
    delete from resource_counts where workspace_id = ${workspaceId} and (kind, parent_uid) in (
      select kind, parent_uid from resource_counts where workspace_id = ${workspaceId} limit ${batch})`.execute(tx);
  return Number(done.numAffectedRows ?? 0);
}

// One batch of what a deleted workspace has left. Its limits were given back when it was deleted, so here nothing is counted but the
// bytes of executions, which a trigger gives back with each. Run twice, or killed at any line, it removes what is still there.
import type { Database, DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';

const batch = 500;
/** Each may hold 100 000 tasks. */
const executionBatch = 10;
const taskBatch = 5_000;

type Step = (tx: DatabaseTransaction, workspaceId: string) => Promise<number>;

/** Executions before their jobs, which would take all of them along in one statement. */
const steps: readonly Step[] = [removeTasks, removeExecutions, removeResources, removeCounters];

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

/**
 * What still runs is told to end. Looked at in a statement of its own, after the rows are locked: whoever was placing an instance has
 * committed by then, and whoever comes later finds no resource.
 */
async function removeResources(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ uid: string }>`
    select uid from resources where workspace_id = ${workspaceId} limit ${batch} for update`.execute(tx);
  await sql`
    with gone as (delete from resources where uid = any(${rows.map(({ uid }) => uid)}::uuid[]) returning uid)
    insert into outbox (topic, key, workspace_id)
    select 'reconcile', uid::text, ${workspaceId}::uuid from gone
    where exists (select 1 from instances where resource_uid = uid and ended_at is null and desired <> 'gone')`.execute(
    tx,
  );
  return rows.length;
}

async function removeCounters(tx: DatabaseTransaction, workspaceId: string): Promise<number> {
  const done = await sql`
    delete from resource_counts where workspace_id = ${workspaceId} and (kind, parent_uid) in (
      select kind, parent_uid from resource_counts where workspace_id = ${workspaceId} limit ${batch})`.execute(tx);
  return Number(done.numAffectedRows ?? 0);
}

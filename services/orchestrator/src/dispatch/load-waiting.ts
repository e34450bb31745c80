// Loads everything that a decision about waiting tasks needs. Nothing is locked: each placement checks again under the
// lock of its execution.
import type { Database } from '@berth/database';
import { freeForTasks, type LimitedAccount, limitOf, taskReservedMb } from '@berth/instances';
import { sql } from 'kysely';
import type { Dependencies } from '../run/dependencies.ts';
import type { AccountUse, ShareInput, WaitingExecution } from './tally.ts';

export interface LoadedWaiting {
  readonly input: ShareInput;
  /** Time of the database's clock. */
  readonly now: number;
  /** When the next task whose retry is delayed may start. */
  readonly nextDueAt: number | undefined;
}

/** A run locks rows of accounts and runners, and other placements wait for them. */
const maxPerRun = 200;
const maxExecutions = 1_000;

export async function loadWaiting({ database, placement, limits }: Dependencies): Promise<LoadedWaiting> {
  const { now, nextDueAt } = await loadTimes(database);
  const executions = await loadExecutions(database, placement);
  const use = executions.length === 0 ? [] : await loadUse(database);
  const free = executions.length === 0 ? { mb: 0, tasks: 0 } : await freeForTasks(database, placement.jobs);
  return {
    now,
    nextDueAt,
    input: {
      executions,
      accounts: new Map(
        [...Map.groupBy(use, ({ accountId }) => accountId)].map(([id, rows]) => [id, accountUse(rows, limits)]),
      ),
      workspaceMb: new Map(
        use.map(({ workspaceId, tasksMb }) => [workspaceId, taskReservedMb(tasksMb, { placement })]),
      ),
      free,
      maxTasks: maxPerRun,
    },
  };
}

async function loadTimes(database: Database): Promise<{ now: number; nextDueAt: number | undefined }> {
  const { rows } = await sql<{ now: Date; nextDueAt: Date | null }>`
    select clock_timestamp() as now, (
      select min(not_before) from tasks where status = 'pending' and not_before > clock_timestamp()
    ) as "nextDueAt"`.execute(database);
  return { now: rows[0]?.now.getTime() ?? 0, nextDueAt: rows[0]?.nextDueAt?.getTime() };
}

/**
 * The first executions of each workspace, so that a workspace with thousands of them does not hide the others. The
 * counters say whether tasks wait; only tasks that wait for a retry have to be looked at.
 */
async function loadExecutions(database: Database, placement: Dependencies['placement']): Promise<WaitingExecution[]> {
  const { rows } = await sql<Omit<WaitingExecution, 'createdAt'> & { createdAt: Date }>`
    with open as (
      select executions.id, executions.workspace_id, workspaces.account_id, executions.created_at, executions.status,
        memory_mb, active, parallelism,
        row_number() over (
          partition by executions.workspace_id
          order by executions.status = 'queued', executions.created_at, executions.id) as place
      from executions join workspaces on workspaces.id = executions.workspace_id
      where completed_at is null and executions.status in ('queued', 'pending', 'running') and active < parallelism
        and task_count > active + succeeded + failed + cancelled
      order by place, executions.created_at, executions.id limit ${maxExecutions}
    )
    select open.id as "executionId", workspace_id as "workspaceId", account_id as "accountId",
      created_at as "createdAt", status, memory_mb as "memoryMb", due.waiting, active, parallelism
    from open cross join lateral (
      select count(*)::int as waiting from (
        select 1 from tasks
        where tasks.execution_id = open.id and tasks.status = 'pending'
          and (not_before is null or not_before <= clock_timestamp())
        limit least(${maxPerRun}::int, open.parallelism - open.active)
      ) as first
    ) as due
    where due.waiting > 0`.execute(database);
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.getTime(),
    memoryMb: taskReservedMb(row.memoryMb, { placement }),
  }));
}

interface UseRow extends LimitedAccount {
  readonly workspaceId: string;
  readonly accountId: string;
  readonly tasks: number;
  readonly executions: number;
  readonly tasksMb: number;
}

/** By workspace, over all open executions: also those that have no waiting task use memory and limits. */
async function loadUse(database: Database): Promise<UseRow[]> {
  const { rows } = await sql<UseRow>`
    select workspaces.id as "workspaceId", accounts.id as "accountId", tier, quotas,
      sum(active)::int as tasks, sum(active * memory_mb)::float8 as "tasksMb",
      count(*) filter (where executions.status in ('pending', 'running'))::int as executions
    from executions
    join workspaces on workspaces.id = executions.workspace_id
    join accounts on accounts.id = workspaces.account_id
    where completed_at is null
    group by workspaces.id, accounts.id`.execute(database);
  return rows;
}

function accountUse(rows: readonly UseRow[], limits: Dependencies['limits']): AccountUse {
  const sum = (read: (row: UseRow) => number): number => rows.reduce((total, row) => total + read(row), 0);
  const account = rows[0] ?? { tier: '', quotas: {} };
  return {
    maxTasks: limitOf(account, limits, 'job_concurrent_tasks'),
    maxExecutions: limitOf(account, limits, 'job_parallel_executions'),
    tasks: sum(({ tasks }) => tasks),
    executions: sum(({ executions }) => executions),
  };
}

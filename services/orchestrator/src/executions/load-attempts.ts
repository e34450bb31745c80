// Reads the execution and the attempts that the next settlement is about.
import { TaskResult } from '@berth/contract/node';
import { type DatabaseTransaction, unendedInstance } from '@berth/database';
import { FixedSpec } from '@berth/jobs';
import { sql } from 'kysely';
import type { ObservedAttempt, SettlingExecution } from './settle.ts';

export interface LockedExecution extends SettlingExecution {
  readonly id: string;
  readonly parallelism: number;
  /** Time of the database's clock. */
  readonly now: number;
}

/** Undefined when the execution is gone with its workspace, or has ended. */
export async function lockExecution(tx: DatabaseTransaction, id: string): Promise<LockedExecution | undefined> {
  const row = await tx
    .selectFrom('executions')
    .select(['status', sql<unknown>`spec - 'job'`.as('spec'), 'task_count', 'parallelism'])
    .select(['active', 'succeeded', 'failed', 'cancelled', 'retried', sql<Date>`clock_timestamp()`.as('now')])
    .where('id', '=', id)
    .where('completed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { status, task_count, parallelism, active, succeeded, failed, cancelled, retried } = row;
  return {
    id,
    status,
    parallelism,
    taskCount: task_count,
    maxRetries: FixedSpec.parse(row.spec).maxRetries,
    counters: { active, succeeded, failed, cancelled, retried },
    now: row.now.getTime(),
  };
}

interface AttemptRow {
  readonly id: string;
  readonly taskIndex: number;
  readonly attempt: number;
  readonly isOver: boolean;
  readonly result: unknown;
  readonly message: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly taskStatus: string;
  readonly taskAttempt: number;
  readonly failures: number;
  readonly losses: number;
}

const StoredResult = TaskResult.pick({ reason: true, exitCode: true });

/**
 * Attempts that are over, and attempts whose process runs while their task does not show it yet. Not locked: an attempt
 * that is over stays over, and every later change sends a message of its own.
 */
export async function loadAttempts(tx: DatabaseTransaction, id: string, limit: number): Promise<ObservedAttempt[]> {
  const { rows } = await sql<AttemptRow>`
    select instances.id, task_index as "taskIndex", instances.attempt, result, instances.message,
      (result is not null or ended_at is not null) as "isOver",
      ready_at as "startedAt", coalesce(finished_at, ended_at) as "finishedAt",
      tasks.status as "taskStatus", tasks.attempt as "taskAttempt", tasks.failures, tasks.losses
    from instances join tasks on tasks.execution_id = instances.execution_id and tasks.index = instances.task_index
    where instances.execution_id = ${id} and settled_at is null
      and (result is not null or ended_at is not null
        or (state = 'ready' and ready_at is not null
          and tasks.status = 'reconciling' and tasks.attempt = instances.attempt))
    order by task_index, instances.attempt limit ${limit}`.execute(tx);
  return rows.map((row) => ({
    id: row.id,
    taskIndex: row.taskIndex,
    attempt: row.attempt,
    isOver: row.isOver,
    result: row.result === null ? undefined : StoredResult.parse(row.result),
    message: row.message ?? undefined,
    startedAt: row.startedAt?.getTime(),
    finishedAt: row.finishedAt?.getTime(),
    task: { status: row.taskStatus, attempt: row.taskAttempt, failures: row.failures, losses: row.losses },
  }));
}

/** Attempts of a cancelled execution whose process has not started. */
export async function loadUnstarted(tx: DatabaseTransaction, id: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from instances
    where execution_id = ${id} and settled_at is null and result is null and ${unendedInstance()}
      and desired = 'running' and state in ('placed', 'pulling', 'starting')
    order by task_index, attempt limit ${limit}`.execute(tx);
  return rows.map((row) => row.id);
}

/** True when no task failed for another reason than its timeout. Reads all tasks, so it is asked once, at the end. */
export async function hasOnlyTimeouts(tx: DatabaseTransaction, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from tasks
    where execution_id = ${id} and status = 'failed' and reason is distinct from 'timeout' limit 1`.execute(tx);
  return rows.length === 0;
}

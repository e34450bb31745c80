import type { DatabaseTransaction } from '@berth/database';
import { JobSpec } from '@berth/instances';
import { FixedSpec } from '@berth/jobs';
import { sql } from 'kysely';

export interface LockedWaiting {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
  readonly createdAt: Date;
  readonly accountId: string;
  readonly job: {
    readonly uid: string;
    readonly name: string;
    readonly workspace: { readonly id: string; readonly name: string };
  };
  /** The job's configuration, as the execution copied it. */
  readonly spec: JobSpec;
  /** Undefined for an execution of an api that chose no revision. */
  readonly revision: string | undefined;
  readonly env: NonNullable<FixedSpec['env']>;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly active: number;
  readonly parallelism: number;
}

interface WaitingRow
  extends Pick<
    LockedWaiting,
    'id' | 'externalId' | 'status' | 'createdAt' | 'accountId' | 'memoryMb' | 'active' | 'parallelism'
  > {
  readonly spec: unknown;
  readonly jobUid: string;
  readonly jobName: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
}

const StoredSpec = FixedSpec.extend({ job: JobSpec.prefault({}) });

/** Undefined when the execution starts no tasks any more, or when its job or its workspace is gone. */
export async function lockWaiting(tx: DatabaseTransaction, id: string): Promise<LockedWaiting | undefined> {
  const { rows } = await sql<WaitingRow>`
    select executions.id, executions.external_id as "externalId", executions.status, executions.created_at as "createdAt",
      executions.spec, memory_mb as "memoryMb", active, parallelism,
      resources.uid as "jobUid", resources.name as "jobName",
      workspaces.id as "workspaceId", workspaces.name as "workspaceName", workspaces.account_id as "accountId"
    from executions
    join workspaces on workspaces.id = executions.workspace_id
    join resources on resources.uid = executions.job_uid
    where executions.id = ${id} and executions.status in ('queued', 'pending', 'running')
    for update of executions`.execute(tx);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { jobUid, jobName, workspaceId, workspaceName, spec, ...execution } = row;
  const { job, revision, env = {}, timeoutSeconds } = StoredSpec.parse(spec);
  return {
    ...execution,
    env,
    timeoutSeconds,
    spec: job,
    revision,
    job: { uid: jobUid, name: jobName, workspace: { id: workspaceId, name: workspaceName } },
  };
}

export interface DueTask {
  readonly index: number;
  /** Number of its newest attempt. */
  readonly attempt: number;
}

/**
 * The next tasks that may start now, at most as many as the parallelism allows. Their rows need no lock: every change of
 * a task holds the execution's row.
 */
export async function loadDueTasks(
  tx: DatabaseTransaction,
  { id, parallelism, active }: LockedWaiting,
  count: number,
): Promise<DueTask[]> {
  const { rows } = await sql<DueTask>`
    select index, attempt from tasks
    where execution_id = ${id} and status = 'pending' and (not_before is null or not_before <= clock_timestamp())
    order by index limit ${Math.max(0, Math.min(count, parallelism - active))}`.execute(tx);
  return rows;
}

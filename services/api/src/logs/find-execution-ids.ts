import { type Database, liveResource, nilUuid } from '@berth/database';
import { sql } from 'kysely';

interface NamedExecution {
  readonly workspaceId: string;
  /** Names of jobs. Absent: all jobs of the workspace. */
  readonly jobs: readonly string[] | undefined;
  /** The id that clients see. Each job may have an execution with it. */
  readonly executionId: string;
}

/** Ids under which the lines of the named executions are stored. */
export async function findExecutionIds(
  database: Database,
  { workspaceId, jobs, executionId }: NamedExecution,
): Promise<string[]> {
  const named = jobs === undefined ? sql`` : sql`and name = any(${[...jobs]}::text[])`;
  // The array makes PostgreSQL look up each job in the unique index of executions. A join may read all executions of
  // the workspace instead.
  const { rows } = await sql<{ id: string }>`
    select id from executions
    where external_id = ${executionId} and job_uid = any(array(
      select uid from resources
      where workspace_id = ${workspaceId} and kind = 'job' and parent_uid = ${nilUuid} and ${liveResource()}
        ${named}))`.execute(database);
  return rows.map(({ id }) => id);
}

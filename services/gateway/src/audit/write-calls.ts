import type { Database } from '@berth/database';
import { sql } from 'kysely';

/** Calls of one workload with one key. */
export interface CallEntry {
  readonly keyId: string;
  readonly subject: string;
  readonly subjectType: string;
  /** Undefined for a caller of a public workload who is not a member of its workspace. */
  readonly accountId: string | undefined;
  readonly workspaceId: string;
  readonly target: string;
  /** Time of the first call; `address` and `requestId` are of the first call too. */
  readonly at: Date;
  readonly address: string;
  readonly requestId: string;
  readonly uses: number;
}

const action = 'workload.call';

export async function insertCalls(database: Database, entries: readonly CallEntry[]): Promise<void> {
  await database
    .insertInto('audit_log')
    .values(
      entries.map((entry) => ({
        at: entry.at,
        account_id: entry.accountId ?? null,
        workspace_id: entry.workspaceId,
        subject: entry.subject,
        subject_type: entry.subjectType,
        action,
        target: entry.target,
        request_id: entry.requestId,
        key_id: entry.keyId,
        address: entry.address,
        uses: entry.uses,
      })),
    )
    .execute();
}

/** Finds rows by the time of the first call, because the table is ordered by it. */
export async function updateCalls(database: Database, entries: readonly CallEntry[]): Promise<void> {
  await sql`
    update audit_log set uses = counted.uses
    from unnest(
      ${entries.map(({ at }) => at.toISOString())}::timestamptz[], ${entries.map(({ keyId }) => keyId)}::text[],
      ${entries.map(({ target }) => target)}::text[], ${entries.map(({ uses }) => uses)}::integer[]
    ) as counted (at, key_id, target, uses)
    where audit_log.at = counted.at and audit_log.key_id = counted.key_id and audit_log.target = counted.target
      and audit_log.action = ${action}`.execute(database);
}

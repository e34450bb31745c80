// Writes asynchronous calls to the ledger, one row for each. A call is counted when it is accepted, and whatever comes of it.
import type { Database } from '@berth/database';
import { type LedgerRow, storeRows, type Usage } from '@berth/usage';
import { sql } from 'kysely';

/** Calls of one run. */
export const maxMeteredCalls = 1_000;

interface AcceptedCall {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly workspace: string;
  readonly resourceUid: string;
  readonly resourceName: string;
  readonly acceptedAt: Date;
}

/**
 * Returns the number of calls that were metered. The id of a call names its row, so a run that is killed between the
 * ledger and PostgreSQL, or two runs at once, count nothing twice.
 */
export async function meterInvocations(database: Database, { ledger }: Usage): Promise<number> {
  const calls = await loadUnmetered(database);
  if (calls.length === 0) return 0;
  await storeRows(database, ledger, calls.map(rowOf));
  await sql`
    update invocations set metered_at = clock_timestamp() where id = any(${calls.map(({ id }) => id)}::uuid[])`.execute(
    database,
  );
  return calls.length;
}

const loadUnmetered = (database: Database): Promise<AcceptedCall[]> =>
  database
    .selectFrom('invocations')
    .select([
      'id',
      'account_id as accountId',
      'workspace_id as workspaceId',
      'workspace_name as workspace',
      'resource_uid as resourceUid',
      'resource_name as resourceName',
      'accepted_at as acceptedAt',
    ])
    .where('metered_at', 'is', null)
    .orderBy('accepted_at')
    .limit(maxMeteredCalls)
    .execute();

const rowOf = ({ id, acceptedAt, ...resource }: AcceptedCall): LedgerRow => ({
  ...resource,
  resourceType: 'agent',
  dimension: 'agent_async_requests_count',
  source: id,
  ...{ interval: 0, part: 0, rate: 0, amount: 1 },
  ...{ fromMs: acceptedAt.getTime(), toMs: acceptedAt.getTime() },
});

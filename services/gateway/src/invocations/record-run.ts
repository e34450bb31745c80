// Records the steps of a call. Each names the claim, so a process whose lease has ended records nothing.
import type { Database, DatabaseTransaction } from '@berth/database';
import { insertDelivery } from '@berth/triggers';
import { sql } from 'kysely';
import { callbackBody } from './callback-body.ts';
import type { ClaimedCall } from './claimed-call.ts';
import type { RunAnswer } from './judge-run.ts';

type Claim = Pick<ClaimedCall, 'id' | 'claimId'>;

/** Another process has the call by now, or its workspace was deleted. */
class ClaimLost extends Error {
  constructor() {
    super('The lease of the call has ended.');
    this.name = 'ClaimLost';
  }
}

/** Before the first byte is sent: a process that is killed afterwards leaves a run that counts. */
export async function beginRun(database: Database, { id, claimId }: Claim): Promise<void> {
  const { numUpdatedRows } = await database
    .updateTable('invocations')
    .set({ status: 'running', runs: sql`runs + 1`, started_at: sql`coalesce(started_at, clock_timestamp())` })
    .where('id', '=', id)
    .where('claim_id', '=', claimId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new ClaimLost();
}

interface Again {
  readonly pauseMs: number;
  /** The run that began has sent nothing, so it does not count. */
  readonly isUnsent: boolean;
  readonly reason: string | undefined;
}

export async function callAgain(
  database: Database,
  { id, claimId }: Claim,
  { pauseMs, isUnsent, reason }: Again,
): Promise<void> {
  await database
    .updateTable('invocations')
    .set({
      ...{ status: 'queued', claim_id: null, claimed_until: null, error: reason ?? null },
      ...(isUnsent && { runs: sql`runs - 1` }),
      next_at: sql<Date>`clock_timestamp() + make_interval(secs => ${pauseMs / 1_000})`,
    })
    .where('id', '=', id)
    .where('claim_id', '=', claimId)
    .execute();
}

interface End {
  readonly status: 'succeeded' | 'failed' | 'unknown';
  readonly answer: RunAnswer | undefined;
  readonly isUnsent: boolean;
  readonly reason: string | undefined;
}

/** Returns true when there is a callback to deliver. The end of the call and its callback are one transaction. */
export function endCall(database: Database, claim: ClaimedCall, end: End): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    await lockWorkspace(tx, claim.workspaceId);
    const { status, answer, isUnsent, reason } = end;
    const ended = await tx
      .updateTable('invocations')
      .set({
        ...{ status, claim_id: null, claimed_until: null, headers: null, body: null, error: reason ?? null },
        ...(isUnsent && { runs: sql`runs - 1` }),
        ended_at: sql<Date>`clock_timestamp()`,
        status_code: answer?.status ?? null,
        response_bytes: answer?.bytes ?? null,
      })
      .where('id', '=', claim.id)
      .where('claim_id', '=', claim.claimId)
      .returning(['trigger_id', 'callback', 'ended_at'])
      .executeTakeFirst();
    if (ended?.callback == null || ended.trigger_id === null || ended.ended_at === null) return false;
    const { id, workspaceId, resourceUid } = claim;
    return insertDelivery(tx, {
      ...{ workspaceId, resourceUid, triggerId: ended.trigger_id, of: { invocationId: id }, callback: ended.callback },
      body: callbackBody({ id, answer, endedAt: ended.ended_at }),
    });
  });
}

/** The deletion of the workspace waits, so that it finds the callback. */
async function lockWorkspace(tx: DatabaseTransaction, id: string): Promise<void> {
  await sql`select from workspaces where id = ${id} for key share`.execute(tx);
}

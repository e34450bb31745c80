// Records the result of a try, and tells the end of a delivery as an event of its execution, if it has one.
import type { Database, DatabaseTransaction } from '@berth/database';
import { type RawBuilder, sql } from 'kysely';
import type { ClaimedDelivery } from './claim.ts';
import { describeTry, type TryResult, type Verdict } from './judge-try.ts';

/** False when the claim has ended and belongs to another process, or the delivery is gone with its workspace or budget. */
export function recordTry(
  database: Database,
  delivery: ClaimedDelivery,
  result: TryResult,
  verdict: Verdict,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('deliveries')
      .set({
        attempts: delivery.attempts + 1,
        claimed_until: null,
        last_status: 'status' in result ? result.status : null,
        last_error: 'error' in result ? result.error : null,
        ...changeOf(verdict),
      })
      .where('id', '=', delivery.id)
      .where('claimed_until', '=', delivery.claimedUntil)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    await addEndEvent(tx, delivery, result, verdict);
    return true;
  });
}

const now = sql<Date>`clock_timestamp()`;

function changeOf(verdict: Verdict): Record<string, RawBuilder<Date>> {
  if (verdict.kind === 'delivered') return { delivered_at: now };
  if (verdict.kind === 'given-up') return { given_up_at: now };
  return { next_at: sql<Date>`clock_timestamp() + make_interval(secs => ${verdict.pauseMs / 1_000})` };
}

async function addEndEvent(
  tx: DatabaseTransaction,
  { id, subject, attempts }: ClaimedDelivery,
  result: TryResult,
  { kind }: Verdict,
): Promise<void> {
  if (kind === 'again' || subject.kind !== 'execution') return;
  const tries = attempts === 0 ? '1 try' : `${attempts + 1} tries`;
  const message =
    kind === 'delivered'
      ? `Callback ${id} delivered.`
      : `Callback ${id} given up after ${tries}; last ${describeTry(result)}`;
  await tx
    .insertInto('resource_events')
    .values({ resource_uid: subject.executionId, type: 'callback', message })
    .execute();
}

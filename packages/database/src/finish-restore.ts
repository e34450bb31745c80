// The last step of a restore: makes the restored rows safe to start on, in one transaction.
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTransaction } from './connect.ts';

/**
 * Tables that begin empty after a restore, so a backup leaves out their rows: the epoch, and what was true for a moment only.
 * The orchestrator finds the work of lost outbox rows by itself. A join token of the backup may have been used since.
 */
export const tablesLeftOut = [
  'deployment_epoch',
  'orphans',
  'outbox',
  'idempotency_keys',
  'workload_demand',
  'gateway_certificates',
  'runner_tokens',
] as const;

/** Tables whose rows are changed by the last step. All others are restored as they were. */
export const tablesChanged = ['instances', 'runners'] as const;

/** Seconds: more than any generation that a sandbox was given since the backup. */
const newGeneration: RawBuilder<number> = sql`
  greatest(generation + 1, extract(epoch from clock_timestamp() - timestamptz '2026-01-01 00:00:00Z')::integer)`;

export async function finishRestore(tx: DatabaseTransaction, isRehearsal: boolean): Promise<{ epoch: string }> {
  for (const table of tablesLeftOut) await sql`delete from ${sql.table(table)}`.execute(tx);
  const { epoch } = await tx
    .insertInto('deployment_epoch')
    .values({ is_rehearsal: isRehearsal })
    .returning('epoch')
    .executeTakeFirstOrThrow();
  // A copy has the certificates of its deployment: its api and gateways could call the runners, which belong to the other one.
  if (isRehearsal) await tx.updateTable('runners').set({ ingress_address: null, ingress_secret: null }).execute();
  // A sandbox that was waiting in a warm pool may have an owner since. It must not be given to another one.
  await sql`
    with ended as (
      update instances set desired = 'gone', state = 'gone', ended_at = clock_timestamp()
      where pool is not null and ended_at is null
      returning runner_id, reserved_mb
    )
    update runners set reserved_mb = greatest(0, runners.reserved_mb - given_back.mb)
    from (select runner_id, sum(reserved_mb)::integer as mb from ended group by runner_id) as given_back
    where runners.id = given_back.runner_id`.execute(tx);
  // A runner ignores a generation that it has seen. The restored one may have the same number and other content.
  await sql`
    update instances set generation = ${newGeneration}
    where ended_at is null and pool is null and spec ? 'sandbox'`.execute(tx);
  return { epoch };
}

import { type DatabaseTransaction, enqueue, liveInstance, liveResource, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({ name: z.string() });

export const removeRunnerCommand = defineCommand({
  name: 'remove-runner',
  summary: 'shuts a machine out for good: --name NAME; stop its runner first and wait until its work runs elsewhere',
  sections: { postgres: postgresSection },
  async run({ postgres }, { arguments: argv, print }) {
    const { name } = readFlags(argv, Flags);
    const lost = await withDatabase(postgres.url, (database) =>
      database.transaction().execute((tx) => removeRunner(tx, name)),
    );
    if (lost > 0) print(`${lost} sandboxes that only it held have failed: their owners are told.`);
    print(`${name} is removed. What is left on the machine: docs/operations/runners.md.`);
  },
});

/** Returns the number of sandboxes that were lost with the runner. */
async function removeRunner(tx: DatabaseTransaction, name: string): Promise<number> {
  const sandboxes = await lockSandboxes(tx, name);
  // The lock is held until the end, so that nothing is placed on the runner meanwhile and it cannot return.
  const runner = await tx
    .selectFrom('runners')
    .select(['id', 'status'])
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  if (runner === undefined) throw new Error(`There is no runner ${name}. berth-server list-runners names them all.`);
  const live = await tx
    .selectFrom('instances')
    .select(sql<boolean>`spec ? 'sandbox'`.as('isSandbox'))
    .where('runner_id', '=', runner.id)
    .where(unendedInstance())
    .execute();
  // A sandbox on a lost runner does not block the removal: it would wait long for its
  // runner, and the operator has decided.
  const holding = runner.status === 'up' ? live : live.filter(({ isSandbox }) => !isSandbox);
  if (holding.length > 0)
    throw new Error(
      `${name} still holds ${holding.length} instances. Stop its runner and wait until it is lost and they run elsewhere.`,
    );
  for (const { uid, workspace_id, boot } of sandboxes) {
    await sql`update resources set state = coalesce(state, '{}') || jsonb_build_object('settledBoot',
      greatest(coalesce((state ->> 'settledBoot')::int, 0), ${boot}::int)) where uid = ${uid}`.execute(tx);
    await enqueue(tx, { topic: 'reconcile', key: uid, workspaceId: workspace_id });
  }
  await tx.deleteFrom('instances').where('runner_id', '=', runner.id).execute();
  await tx.updateTable('runner_tokens').set({ runner_id: null }).where('runner_id', '=', runner.id).execute();
  await tx.deleteFrom('runners').where('id', '=', runner.id).execute();
  return sandboxes.length;
}

interface HeldSandbox {
  readonly uid: string;
  readonly workspace_id: string;
  readonly boot: number;
}

/**
 * Locks sandboxes before the runner, in the lock order of every writer. The boot of each is
 * recorded, so that it is not started again.
 */
async function lockSandboxes(tx: DatabaseTransaction, name: string): Promise<HeldSandbox[]> {
  const { rows } = await sql<HeldSandbox>`
    select resources.uid, resources.workspace_id, substring(instances.revision from 'boot-([0-9]+)')::int as boot from resources
    join instances on instances.resource_uid = resources.uid join runners on runners.id = instances.runner_id
    where runners.name = ${name} and resources.kind = 'sandbox' and ${liveResource('resources')}
      and ${liveInstance('instances')} and instances.ready_at is not null
    order by resources.uid for update of resources`.execute(tx);
  return rows;
}

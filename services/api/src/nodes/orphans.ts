// Orphans as each runner has reported them last, and the orders to remove them.
import { OrphanReport } from '@berth/contract/node';
import { sql } from 'kysely';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';

/** Replaces the list of the runner; an order stays until its orphan is gone. */
export async function recordOrphans({ database }: NodeContext, runnerId: string, body: unknown): Promise<void> {
  const { session, orphans } = OrphanReport.parse(body);
  const ids = orphans.map(({ instance }) => instance);
  await database.transaction().execute(async (tx) => {
    const runner = await tx
      .selectFrom('runners')
      .select('session')
      .where('id', '=', runnerId)
      .forShare()
      .executeTakeFirst();
    if (runner?.session !== session) throw nodeErrors.session_over();
    await sql`delete from orphans where runner_id = ${runnerId} and instance_id <> all(${ids}::uuid[])`.execute(tx);
    await sql`
      insert into orphans (runner_id, instance_id, workspace_id, is_sandbox)
      select ${runnerId}, reported.* from unnest(${ids}::uuid[], ${orphans.map(({ workspaceId }) => workspaceId ?? null)}::uuid[],
        ${orphans.map(({ isSandbox }) => isSandbox)}::boolean[]) as reported
      on conflict do nothing`.execute(tx);
  });
}

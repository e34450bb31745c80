// Replaces a claimed warm sandbox that turned out to be dead: its instance is retired and another one is started.
import { enqueue, liveResource } from '@berth/database';
import { sql } from 'kysely';
import { addEvent } from '../resources/events.ts';
import type { RuleContext } from '../resources/rules.ts';

const message = 'The one that was made ahead could not be used; another one is started.';

/**
 * False when the runner has adopted the instance after all, or the sandbox has changed in the meantime; then nothing is
 * changed.
 */
export async function replaceDeadClaim(
  { dependencies, workspace }: RuleContext,
  uid: string,
  revision: string,
  instance: string,
): Promise<boolean> {
  const isReplaced = await dependencies.database.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('resources')
      .select('uid')
      .where('uid', '=', uid)
      .where(liveResource())
      .where('status', '=', 'DEPLOYED')
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return false;
    const retired = await tx
      .updateTable('instances')
      .set({ desired: 'gone' })
      .where('id', '=', instance)
      .where('revision', '=', revision)
      .where('desired', '=', 'running')
      .where(sql<boolean>`applied_generation < generation`)
      .returning('id')
      .executeTakeFirst();
    if (retired === undefined) return false;
    await tx
      .updateTable('resources')
      .set({ status: 'DEPLOYING', state: sql<string>`state || jsonb_build_object('boot', 2)` })
      .where('uid', '=', uid)
      .execute();
    await addEvent(tx, uid, { type: 'deployment', status: 'DEPLOYING', message });
    await enqueue(tx, { topic: 'reconcile', key: uid, workspaceId: workspace.id });
    return true;
  });
  if (isReplaced) {
    dependencies.notifyOutbox();
    dependencies.notifyRoutes(uid);
  }
  return isReplaced;
}

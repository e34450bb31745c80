import type { Database } from '@berth/database';
import { removeSome } from '../src/removal/remove-some.ts';

/** Removes the remains of deleted workspaces, as the orchestrator does. Returns how many batches each took. */
export async function removeDeleted(database: Database): Promise<number[]> {
  const deleted = await database.selectFrom('deleted_workspaces').select('id').orderBy('deleted_at').execute();
  const batches: number[] = [];
  for (const { id } of deleted) {
    let count = 0;
    while (await removeSome(database, id)) count += 1;
    batches.push(count);
  }
  return batches;
}

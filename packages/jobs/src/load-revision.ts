import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { TrafficSpec } from '@berth/instances';
import { type JobRevision, pickRevision } from './pick-revision.ts';

/**
 * The revision of the job that a new execution runs. One statement reads all that may be picked, because a concurrent
 * write may remove old revisions.
 */
export async function loadRevision(
  tx: DatabaseTransaction,
  { uid, spec }: { readonly uid: string; readonly spec: JsonObject },
  random: () => number,
): Promise<JobRevision> {
  const { revision: traffic } = TrafficSpec.parse(spec);
  const named = [traffic.active, traffic.canary].filter((id) => id !== undefined);
  const kept = await tx
    .selectFrom('revisions')
    .select(['id', 'spec'])
    .where('resource_uid', '=', uid)
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('id', 'in', named.length === 0 ? [''] : named),
        eb(
          'number',
          '=',
          selectFrom('revisions as other')
            .select(({ fn }) => fn.max('other.number').as('newest'))
            .where('other.resource_uid', '=', uid),
        ),
      ]),
    )
    .orderBy('number', 'desc')
    .execute();
  const picked = pickRevision(traffic, kept, random);
  if (picked === undefined) throw new Error(`Job ${uid} has no revision, although every write makes one.`);
  return picked;
}

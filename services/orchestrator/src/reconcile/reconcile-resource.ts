// One run of one resource: read, decide, write, in one transaction that holds the resource's row from its first
// statement. Restate may let two runs of a key overlap; the second then waits for the row and decides on the state that
// the first has committed, so nothing is placed twice and no reservation is lost.
import type { Database } from '@berth/database';
import type { Logger } from '@berth/telemetry';
import type { Dependencies } from '../run/dependencies.ts';
import { lockResource } from '../run/lock-resource.ts';
import type { Applied, Decision } from '../run/reconciler.ts';
import { retireOrphans } from '../run/retire-instances.ts';
import { type Timer, timersFor } from '../run/timers.ts';
import { reconcilerOf } from './reconcilers.ts';

export async function reconcileResource(
  dependencies: Dependencies,
  uid: string,
  logger: Logger = dependencies.logger,
): Promise<readonly Timer[]> {
  if (await needsNoReconcile(dependencies.database, uid)) return [];
  const { applied, now } = await decide(dependencies, uid);
  const { started, retired } = applied;
  // After the commit: a runner that is notified earlier would find nothing new.
  for (const runnerId of new Set([...started, ...retired].map((each) => each.runnerId))) {
    dependencies.notifyRunner(runnerId);
  }
  if (applied.isChanged) dependencies.notifyGateways(uid);
  for (const { id, runnerId, revision } of started) {
    logger.info({ resource: uid, revision, instance: id, runner: runnerId }, 'instance placed');
  }
  for (const { id, runnerId } of retired) {
    logger.info({ resource: uid, instance: id, runner: runnerId }, 'instance retired');
  }
  dependencies.counters.placed.inc(started.length);
  dependencies.counters.retired.inc(retired.length);
  if (applied.hasUnplaced) dependencies.counters.unplaced.inc();
  return timersFor(applied, uid, now);
}

/**
 * Skips the kinds without a reconciler before their row is locked; writes of every kind arrive here. A uid never changes
 * its kind.
 */
async function needsNoReconcile(database: Database, uid: string): Promise<boolean> {
  const row = await database.selectFrom('resources').select('kind').where('uid', '=', uid).executeTakeFirst();
  return row !== undefined && reconcilerOf(row.kind) === undefined;
}

function decide(dependencies: Dependencies, uid: string): Promise<Decision> {
  return dependencies.database.transaction().execute(async (tx) => {
    const row = await lockResource(tx, uid);
    // Gateways are notified of a removed resource, so that they stop routing to it.
    if (row === undefined) {
      return { applied: { ...nothing, isChanged: true, retired: await retireOrphans(tx, uid) }, now: 0 };
    }
    return reconcilerOf(row.kind)?.decide(tx, dependencies, row) ?? { applied: nothing, now: 0 };
  });
}

const nothing: Applied = { started: [], retired: [], isChanged: false, hasUnplaced: false, dueAt: [] };

// What runners say is recorded, and whoever decides looks again. A report of an older session, an older sequence, another
// runner's instance or one that has ended changes nothing.
import { type InstanceReport, Reports } from '@berth/contract';
import { type DatabaseTransaction, enqueue } from '@berth/database';
import { sql } from 'kysely';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';
import { type Concerned, recordRound } from './record-round.ts';
import type { BroughtUp } from './start-metrics.ts';

export async function recordReports(context: NodeContext, runnerId: string, body: unknown): Promise<void> {
  const { session, reports } = Reports.parse(body);
  const heard = await context.database.transaction().execute(async (tx) => {
    await requireSession(tx, runnerId, session, reports);
    const starts: BroughtUp[] = [];
    const resources = new Map<string, Concerned>();
    let freedMb = 0;
    let isPoolShort = false;
    for (const round of roundsOf(reports)) {
      for (const recorded of await recordRound(tx, runnerId, session, round)) {
        if (recorded.started !== undefined) starts.push(recorded.started);
        if (recorded.news !== undefined) resources.set(recorded.news.uid, recorded.news);
        freedMb += recorded.freedMb;
        isPoolShort ||= recorded.isPoolShort;
      }
    }
    for (const { uid, workspaceId } of resources.values())
      await enqueue(tx, { topic: 'reconcile', key: uid, workspaceId });
    if (isPoolShort) await enqueue(tx, { topic: 'pool', key: runnerId });
    if (freedMb > 0) await giveBack(tx, runnerId, freedMb);
    return { starts, resources, isPoolShort };
  });
  for (const start of heard.starts) context.observeStart(start);
  if (heard.resources.size > 0 || heard.isPoolShort) context.dependencies.ringOutbox();
  for (const uid of heard.resources.keys()) context.dependencies.ringRoutes(uid);
}

/**
 * Whoever places an instance holds the runner's row before the instance's, so it is locked first where memory is given back.
 * Most reports say that something slept or woke, and hold nobody up.
 */
async function requireSession(
  tx: DatabaseTransaction,
  runnerId: string,
  session: number,
  reports: readonly InstanceReport[],
): Promise<void> {
  const givesBack = reports.some(({ state }) => state === 'gone');
  const runner = await tx
    .selectFrom('runners')
    .select('session')
    .where('id', '=', runnerId)
    .$if(givesBack, (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  if (runner?.session !== session) throw nodeErrors.session_over();
}

/** A statement changes a row once, so the second report of an instance waits for the next. */
function roundsOf(reports: readonly InstanceReport[]): InstanceReport[][] {
  const rounds: InstanceReport[][] = [];
  const counts = new Map<string, number>();
  for (const report of reports.toSorted((left, right) => left.sequence - right.sequence)) {
    const round = counts.get(report.instance) ?? 0;
    counts.set(report.instance, round + 1);
    rounds[round] = [...(rounds[round] ?? []), report];
  }
  return rounds;
}

async function giveBack(tx: DatabaseTransaction, runnerId: string, reservedMb: number): Promise<void> {
  await tx
    .updateTable('runners')
    .set({ reserved_mb: sql<number>`reserved_mb - ${reservedMb}` })
    .where('id', '=', runnerId)
    .execute();
}

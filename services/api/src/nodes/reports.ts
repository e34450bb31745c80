// Records reports of runners and enqueues the work that follows for resources and executions. A report is ignored if its
// session or sequence is old, or if the instance has ended or belongs to another runner.
import { type InstanceReport, Reports } from '@berth/contract/node';
import { type DatabaseTransaction, enqueue, type OutboxMessage } from '@berth/database';
import { sql } from 'kysely';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';
import { recordRound } from './record-round.ts';
import type { InstanceStart } from './start-metrics.ts';

export async function recordReports(context: NodeContext, runnerId: string, body: unknown): Promise<void> {
  const { session, reports } = Reports.parse(body);
  const outcome = await context.database.transaction().execute(async (tx) => {
    await requireSession(tx, runnerId, session, reports);
    const starts: InstanceStart[] = [];
    // By key, so that a resource or an execution gets one message for all its instances.
    const messages = new Map<string, OutboxMessage>();
    let freedMb = 0;
    let isPoolShort = false;
    let hasEnded = false;
    for (const round of roundsOf(reports)) {
      for (const recorded of await recordRound(tx, runnerId, session, round)) {
        if (recorded.started !== undefined) starts.push(recorded.started);
        if (recorded.message !== undefined) messages.set(recorded.message.key, recorded.message);
        freedMb += recorded.freedMb;
        isPoolShort ||= recorded.isPoolShort;
        hasEnded ||= recorded.isEnded;
      }
    }
    if (isPoolShort) messages.set(runnerId, { topic: 'pool', key: runnerId });
    for (const message of messages.values()) await enqueue(tx, message);
    if (freedMb > 0) await giveBack(tx, runnerId, freedMb);
    return { starts, messages: [...messages.values()], hasEnded };
  });
  const { notifyOutbox, notifyRoutes, notifyInstances } = context.dependencies;
  for (const start of outcome.starts) context.observeStart(start);
  if (outcome.messages.length > 0) notifyOutbox();
  for (const { topic, key } of outcome.messages) if (topic === 'reconcile') notifyRoutes(key);
  // The runner keeps the container of an ended attempt until the stream tells it to remove it.
  if (outcome.hasEnded) notifyInstances(runnerId);
}

/**
 * Placement locks the runner's row before the instance's, so the runner's row is locked first here when memory is
 * released. Most reports are about sleeping and waking; they take no lock on the runner and block no other transaction.
 */
async function requireSession(
  tx: DatabaseTransaction,
  runnerId: string,
  session: number,
  reports: readonly InstanceReport[],
): Promise<void> {
  const givesBack = reports.some(({ state }) => state === 'gone' || state === 'ended');
  const runner = await tx
    .selectFrom('runners')
    .select('session')
    .where('id', '=', runnerId)
    .$if(givesBack, (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  if (runner?.session !== session) throw nodeErrors.session_over();
}

/** A statement updates a row only once, so a second report of the same instance goes into the next round. */
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

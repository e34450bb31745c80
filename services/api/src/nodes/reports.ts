// What runners say is recorded, and whoever decides looks again. A report of an older session, an older sequence, another
// runner's instance or one that has ended changes nothing.
import { type InstanceReport, Reports } from '@berth/contract';
import { type DatabaseTransaction, enqueue } from '@berth/database';
import { sql } from 'kysely';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';
import type { BroughtUp } from './start-metrics.ts';

export async function recordReports(context: NodeContext, runnerId: string, body: unknown): Promise<void> {
  const { session, reports } = Reports.parse(body);
  const starts: BroughtUp[] = [];
  const changed = await context.database.transaction().execute(async (tx) => {
    // Before the instances: whoever places one holds the runner's row first, too.
    const runner = await tx
      .selectFrom('runners')
      .select('session')
      .where('id', '=', runnerId)
      .forUpdate()
      .executeTakeFirst();
    if (runner?.session !== session) throw nodeErrors.session_over();
    const resources = new Set<string>();
    for (const report of [...reports].sort((a, b) => (a.instance < b.instance ? -1 : 1))) {
      const resource = await recordReport(tx, runnerId, session, report, starts);
      if (resource !== undefined) resources.add(resource);
    }
    for (const key of resources) await enqueue(tx, { topic: 'reconcile', key });
    return resources;
  });
  for (const start of starts) context.observeStart(start);
  if (changed.size > 0) context.dependencies.ringOutbox();
  for (const uid of changed) context.dependencies.ringRoutes(uid);
}

/** Returns the resource whose instance is not as it was. */
async function recordReport(
  tx: DatabaseTransaction,
  runnerId: string,
  session: number,
  report: InstanceReport,
  starts: BroughtUp[],
): Promise<string | undefined> {
  const before = await tx
    .selectFrom('instances')
    .select(['resource_uid', 'state', 'message', 'desired', 'reserved_mb', 'ready_at'])
    .where('id', '=', report.instance)
    .where('runner_id', '=', runnerId)
    .where('ended_at', 'is', null)
    .where(sql<boolean>`(report_session, report_sequence) < (${session}, ${report.sequence})`)
    .forUpdate()
    .executeTakeFirst();
  // A runner that says "gone" of what should run is told to run it by the same stream: it is not the end of the instance.
  if (before === undefined || (report.state === 'gone' && before.desired === 'running')) return undefined;
  const now = sql<Date>`clock_timestamp()`;
  const { age_ms } = await tx
    .updateTable('instances')
    .set({
      state: report.state,
      starts: report.starts,
      report_session: session,
      report_sequence: report.sequence,
      message: report.message ?? null,
      ...(report.code === undefined ? {} : { code: report.code }),
      ...(report.address === undefined ? {} : { address: report.address }),
      ...(report.stages === undefined ? {} : { stages: JSON.stringify(report.stages) }),
      ...(report.state === 'ready' ? { ready_at: sql<Date>`coalesce(ready_at, clock_timestamp())` } : {}),
      ...(report.state === 'failed' ? { failed_at: now } : {}),
      ...(report.state === 'gone' ? { ended_at: now } : {}),
    })
    .where('id', '=', report.instance)
    .returning(sql<number>`extract(epoch from clock_timestamp() - created_at)::float8 * 1000`.as('age_ms'))
    .executeTakeFirstOrThrow();
  if (report.state === 'ready' && before.ready_at === null)
    starts.push({ totalMs: age_ms, stages: report.stages ?? {} });
  if (report.state === 'gone') await giveBack(tx, runnerId, before.reserved_mb);
  return isNews(before, report) ? before.resource_uid : undefined;
}

/** On its way up an instance says much that decides nothing: only what people read of it, and where it ends, matters. */
function isNews(before: { readonly state: string; readonly message: string | null }, report: InstanceReport): boolean {
  const isOnItsWay = (state: string): boolean => ['placed', 'pulling', 'starting'].includes(state);
  if (isOnItsWay(before.state) && isOnItsWay(report.state)) return report.message !== undefined;
  return before.state !== report.state || before.message !== (report.message ?? null);
}

async function giveBack(tx: DatabaseTransaction, runnerId: string, reservedMb: number): Promise<void> {
  await tx
    .updateTable('runners')
    .set({ reserved_mb: sql<number>`reserved_mb - ${reservedMb}` })
    .where('id', '=', runnerId)
    .execute();
}

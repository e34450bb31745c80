// Writes the time of resources that are billed by themselves to the ledger, such as verified domains.
import { BillingDimensionName } from '@berth/contract';
import { type Database, databaseClock } from '@berth/database';
import { type LedgerRow, splitAtHours, startOfHour, storeRows, type Usage } from '@berth/usage';
import { sql } from 'kysely';

const maxSpans = 1_000;
/** Pause after which a span that goes on is written again. */
const againMs = 60_000;

type Span = Awaited<ReturnType<typeof loadSpans>>[number];

/** Returns the number of spans that were metered; there may be more where it is `maxSpans`. */
export async function meterSpans(database: Database, { ledger }: Usage): Promise<number> {
  const nowMs = await databaseClock(database);
  const spans = await loadSpans(database, nowMs);
  await storeRows(
    database,
    ledger,
    spans.flatMap((span) => rowsOf(span, nowMs)),
  );
  // A span that ended meanwhile is metered to its end by the next run.
  await sql`
    update usage_spans set metered_to = least(coalesce(to_at, ${new Date(nowMs)}), ${new Date(nowMs)})
    where id = any(${spans.map(({ id }) => id)}::uuid[])`.execute(database);
  return spans.length;
}

/** Those that have ended and are not metered to their end, and open ones that were not metered for a while. */
const loadSpans = (database: Database, nowMs: number) =>
  database
    .selectFrom('usage_spans')
    .selectAll()
    .where((where) =>
      where.or([
        where('metered_to', 'is', null),
        where.and([where('to_at', 'is', null), where('metered_to', '<', new Date(nowMs - againMs))]),
        where('metered_to', '<', where.ref('to_at')),
      ]),
    )
    .orderBy('from_at')
    .limit(maxSpans)
    .execute();

/** Whole hours that are metered already are left out; the hour in which metering stopped is written again, longer. */
function rowsOf(span: Span, nowMs: number): LedgerRow[] {
  const fromMs = span.from_at.getTime();
  const toMs = span.to_at?.getTime() ?? nowMs;
  const againFromMs = Math.max(fromMs, startOfHour(span.metered_to?.getTime() ?? fromMs));
  return splitAtHours({ fromMs: againFromMs, toMs }).map((piece) => ({
    accountId: span.account_id,
    workspaceId: span.workspace_id,
    workspace: span.workspace_name,
    resourceType: span.resource_type,
    resourceName: span.resource_name,
    resourceUid: span.resource_uid,
    dimension: BillingDimensionName.parse(span.billing_dimension),
    source: span.id,
    ...{ interval: 0, part: 0, rate: 1, amount: 0 },
    ...piece,
  }));
}

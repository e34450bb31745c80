// Verifies the ledger and its closed hours against each other, and against what PostgreSQL knows.
import { type Database, databaseClock } from '@berth/database';
import { hourMs, type Period, startOfHour } from '../ledger/split-at-hours.ts';
import type { Usage } from '../open-usage.ts';
import { loadPrices } from '../prices/load-prices.ts';
import type { Finding } from './finding.ts';
import type { HourTotals } from './hour-totals.ts';
import { judgeHour } from './judge-hour.ts';

type CheckedUsage = Usage['check'];

/** An hour is closed a quarter of an hour after its end; a loop that is late is no fault yet. */
const overdueMs = 2 * hourMs;
const dayMs = 24 * hourMs;
/** Rows of the future are looked for this far ahead. */
const aheadDays = 366;

/** Empty when everything holds. Checks whole hours, `days` back from the present. */
export async function checkUsage(database: Database, usage: CheckedUsage, days: number): Promise<Finding[]> {
  const nowMs = await databaseClock(database);
  const period = { fromMs: startOfHour(nowMs - days * dayMs), toMs: startOfHour(nowMs + aheadDays * dayMs) };
  const findings = await usage.findFaultyRows(period, nowMs);
  const known = new Set((await database.selectFrom('accounts').select('id').execute()).map(({ id }) => id));
  for (const accountId of new Set([...known, ...(await usage.accounts(period))])) {
    if (!known.has(accountId))
      findings.push({
        check: 'usage is billed to an account that does not exist',
        accountId,
        hourMs: period.fromMs,
        detail: accountId,
      });
    else findings.push(...(await checkHours(database, usage, { accountId, period, nowMs })));
  }
  return findings;
}

async function checkHours(
  database: Database,
  usage: CheckedUsage,
  { accountId, period, nowMs }: { accountId: string; period: Period; nowMs: number },
): Promise<Finding[]> {
  const within = { from: new Date(period.fromMs), to: new Date(period.toMs) };
  // Dirty hours are read first and again: an hour that is closed meanwhile is not judged.
  const before = await dirtyHours(database, accountId, within);
  const stored = await usage.hourTotals({ accountId, period, prices: await loadPrices(database, accountId) });
  const controls = await database
    .selectFrom('usage_closed_hours')
    .select(['hour', 'micro', 'pico'])
    .where('account_id', '=', accountId)
    .where('hour', '>=', within.from)
    .where('hour', '<', within.to)
    .execute();
  const dirty = new Set([...before, ...(await dirtyHours(database, accountId, within))]);
  const storedAt = new Map(stored.map((each) => [each.hourMs, each]));
  const controlAt = new Map(
    controls.map(({ hour, micro, pico }) => [hour.getTime(), { micro: BigInt(micro), pico: BigInt(pico) }]),
  );
  return [...new Set([...storedAt.keys(), ...controlAt.keys()])].flatMap((at) =>
    judgeHour({
      stored: storedAt.get(at),
      control: controlAt.get(at),
      isDirty: dirty.has(at),
      isOverdue: at + hourMs + overdueMs < nowMs,
    }).map((check) => ({ check, accountId, hourMs: at, detail: detailOf(storedAt.get(at), controlAt.get(at)) })),
  );
}

async function dirtyHours(
  database: Database,
  accountId: string,
  { from, to }: { from: Date; to: Date },
): Promise<number[]> {
  const rows = await database
    .selectFrom('usage_dirty_hours')
    .select('hour')
    .where('account_id', '=', accountId)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .execute();
  return rows.map(({ hour }) => hour.getTime());
}

const detailOf = (stored: HourTotals | undefined, control: { micro: bigint; pico: bigint } | undefined): string => {
  const { closed, rows } = stored ?? {};
  const parts = Object.entries({ closed, rows, PostgreSQL: control }).map(
    ([name, totals]) => `${name} ${totals?.micro ?? 0n} and ${totals?.pico ?? 0n}`,
  );
  return `${parts.join('; ')} (10^-6 units, 10^-12 USD)`;
};

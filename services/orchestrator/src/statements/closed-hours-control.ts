// Totals of closed hours that PostgreSQL keeps. ClickHouse has to agree with them before a statement is stored, so that
// lost hours never become a final bill.
import type { Database } from '@berth/database';
import type { UsageSum } from '@berth/usage';
import { sql } from 'kysely';

interface MonthTotals {
  readonly month: string;
  readonly micro: bigint;
  readonly pico: bigint;
}

export interface ClosedHoursControl {
  readonly months: readonly MonthTotals[];
  /** Grows with every close, so a control that has not changed belongs to everything that was read in between. */
  readonly closings: bigint;
}

export async function readControl(
  database: Database,
  { accountId, fromMs, toMs }: { readonly accountId: string; readonly fromMs: number; readonly toMs: number },
): Promise<ClosedHoursControl> {
  const { rows } = await sql<{ month: string; micro: string; pico: string; closings: string }>`
    select to_char(hour at time zone 'UTC', 'YYYY-MM') as month, sum(micro)::text as micro, sum(pico)::text as pico,
      sum(closings)::text as closings
    from usage_closed_hours
    where account_id = ${accountId} and hour >= ${new Date(fromMs)} and hour < ${new Date(toMs)}
    group by 1`.execute(database);
  return {
    months: rows.map(({ month, micro, pico }) => ({ month, micro: BigInt(micro), pico: BigInt(pico) })),
    closings: rows.reduce((total, { closings }) => total + BigInt(closings), 0n),
  };
}

/** Months in which the hours of ClickHouse add up to another total than those of PostgreSQL. */
export function differingMonths({ months }: ClosedHoursControl, sums: readonly UsageSum[]): string[] {
  const left = new Map<string, { micro: bigint; pico: bigint }>();
  const add = (month: string, micro: bigint, pico: bigint): void => {
    const known = left.get(month) ?? { micro: 0n, pico: 0n };
    left.set(month, { micro: known.micro + micro, pico: known.pico + pico });
  };
  for (const { month, micro, pico } of months) add(month, micro, pico);
  for (const { month, micro, pico } of sums) add(month, -micro, -pico);
  return [...left].flatMap(([month, { micro, pico }]) => (micro === 0n && pico === 0n ? [] : [month])).toSorted();
}

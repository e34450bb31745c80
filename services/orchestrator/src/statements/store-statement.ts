// Stores the statement of a month, or says why not. Orchestrators that store statements of one account follow each other.
import type { Database, DatabaseTransaction } from '@berth/database';
import { monthAt, monthPeriod, type UsageSum } from '@berth/usage';
import { sql } from 'kysely';
import { type ClosedHoursControl, differingMonths, readControl } from './closed-hours-control.ts';
import type { DueStatement } from './due-statements.ts';
import { statementLines } from './statement-lines.ts';

export interface StatementDraft extends DueStatement {
  /** Begins with the first month that is looked back to, and ends with the stated month. */
  readonly period: { readonly fromMs: number; readonly toMs: number };
  /** What closed hours say about each month of the period. */
  readonly sums: readonly UsageSum[];
  /** Read before the sums. */
  readonly control: ClosedHoursControl;
}

export type StoredStatement =
  | { readonly kind: 'stored'; readonly lines: number }
  /** Hours were opened or closed meanwhile, or another process has stored it. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'refused'; readonly months: readonly string[] };

export function storeStatement(database: Database, draft: StatementDraft): Promise<StoredStatement> {
  const { accountId, month, newest, period, sums, control } = draft;
  return database.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`statements ${accountId}`}, 0))`.execute(tx);
    if ((await newestStatement(tx, accountId)) !== newest) return { kind: 'overtaken' };
    // In this order: an hour that is closed in between is found by the control.
    if (await hasDirtyHour(tx, accountId, month)) return { kind: 'overtaken' };
    if ((await readControl(tx, { accountId, ...period })).closings !== control.closings) return { kind: 'overtaken' };
    const months = differingMonths(control, sums);
    if (months.length > 0) return { kind: 'refused', months };
    const lines = statementLines(sums, await loadStated(tx, accountId, period));
    await insertStatement(tx, { accountId, month, lines });
    return { kind: 'stored', lines: lines.length };
  });
}

async function newestStatement(tx: DatabaseTransaction, accountId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('statements')
    .select('month')
    .where('account_id', '=', accountId)
    .orderBy('month', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.month ?? null;
}

async function hasDirtyHour(tx: DatabaseTransaction, accountId: string, month: string): Promise<boolean> {
  const row = await tx
    .selectFrom('usage_dirty_hours')
    .select('hour')
    .where('account_id', '=', accountId)
    .where('hour', '<', new Date(monthPeriod(month).toMs))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function loadStated(
  tx: DatabaseTransaction,
  accountId: string,
  { fromMs }: StatementDraft['period'],
): Promise<UsageSum[]> {
  const rows = await tx
    .selectFrom('statement_lines')
    .select(['usage_month as month', 'workspace_id as workspaceId', 'workspace'])
    .select(['billing_dimension as billingDimension', 'micro', 'pico'])
    .where('account_id', '=', accountId)
    .where('usage_month', '>=', monthAt(fromMs))
    .execute();
  return rows.map(({ micro, pico, ...row }) => ({ ...row, micro: BigInt(micro), pico: BigInt(pico) }));
}

async function insertStatement(
  tx: DatabaseTransaction,
  { accountId, month, lines }: { accountId: string; month: string; lines: readonly UsageSum[] },
): Promise<void> {
  const pico = lines.reduce((total, line) => total + line.pico, 0n);
  await tx
    .insertInto('statements')
    .values({ account_id: accountId, month, pico: String(pico) })
    .execute();
  await sql`
    insert into statement_lines
      (account_id, month, usage_month, workspace_id, workspace, billing_dimension, micro, pico)
    select ${accountId}, ${month}, * from unnest(
      ${lines.map((line) => line.month)}::text[], ${lines.map((line) => line.workspaceId)}::uuid[],
      ${lines.map((line) => line.workspace)}::text[], ${lines.map((line) => line.billingDimension)}::text[],
      ${lines.map((line) => String(line.micro))}::numeric[], ${lines.map((line) => String(line.pico))}::numeric[])`.execute(
    tx,
  );
}

// Statements come from PostgreSQL alone, so they answer while ClickHouse is away.
import { type getStatement, type listStatements, requestErrors } from '@berth/contract';
import { monthPeriod, statementDelayMs } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { statementErrors } from './errors.ts';
import { renderStatement, renderSummary, statementCsv } from './render-statement.ts';

export async function readStatements({ database, accountId }: ReadCall<typeof listStatements>) {
  const rows = await database
    .selectFrom('statements')
    .select(['month', 'frozen_at', 'pico'])
    .where('account_id', '=', accountId)
    .orderBy('month', 'desc')
    .execute();
  return rows.map(renderSummary);
}

export async function readStatement(call: ReadCall<typeof getStatement>) {
  const { database, accountId, params, query } = call;
  const statement = await database
    .selectFrom('statements')
    .select(['month', 'frozen_at', 'pico'])
    .where('account_id', '=', accountId)
    .where('month', '=', params.month)
    .executeTakeFirst();
  if (statement === undefined) throw missing(accountId, params.month, call.dependencies.now());
  const lines = await database
    .selectFrom('statement_lines')
    .select(['usage_month', 'workspace', 'billing_dimension', 'micro', 'pico'])
    .where('account_id', '=', accountId)
    .where('month', '=', statement.month)
    .orderBy('usage_month', 'desc')
    .orderBy('workspace')
    .orderBy('billing_dimension')
    // Two workspaces may have had the same name.
    .orderBy('workspace_id')
    .execute();
  return query.format === 'csv' ? statementCsv(statement, lines) : renderStatement(statement, lines);
}

function missing(accountId: string, month: string, nowMs: number) {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return requestErrors.not_found();
  const dueMs = monthPeriod(month).toMs + statementDelayMs;
  if (nowMs >= dueMs) return statementErrors.no_statement({ month, accountId });
  return statementErrors.statement_not_due({ month, date: new Date(dueMs).toISOString().slice(0, 10) });
}

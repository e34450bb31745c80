// The answer of a statement, as JSON or CSV. Pure.

import type { Tables } from '@berth/database';
import { exactDecimal, unitsOf, usdOf } from '@berth/usage';
import type { Selectable } from 'kysely';
import type { StreamedAnswer } from '../http/call.ts';
import { csvAnswer, csvLine, csvText } from '../metrics/csv.ts';

type StatementRow = Pick<Selectable<Tables['statements']>, 'month' | 'frozen_at' | 'pico'>;
type LineRow = Pick<
  Selectable<Tables['statement_lines']>,
  'usage_month' | 'workspace' | 'billing_dimension' | 'micro' | 'pico'
>;

export const renderSummary = ({ month, frozen_at, pico }: StatementRow) => ({
  month,
  frozenAt: frozen_at.toISOString(),
  totalCost: usdOf(BigInt(pico)),
});

export const renderStatement = (statement: StatementRow, lines: readonly LineRow[]) => ({
  ...renderSummary(statement),
  lines: lines.map((line) => ({
    usageMonth: line.usage_month,
    workspace: line.workspace,
    billingDimension: line.billing_dimension,
    usage: unitsOf(BigInt(line.micro)),
    cost: usdOf(BigInt(line.pico)),
  })),
});

export const statementCsv = ({ month }: StatementRow, lines: readonly LineRow[]): StreamedAnswer =>
  csvAnswer(csvLines(lines), `statement-${month}.csv`);

async function* csvLines(lines: readonly LineRow[]): AsyncGenerator<string> {
  yield csvLine(['usageMonth', 'workspace', 'billingDimension', 'usage', 'cost']);
  for (const { usage_month, workspace, billing_dimension, micro, pico } of lines)
    yield csvLine([
      ...[usage_month, csvText(workspace), csvText(billing_dimension)],
      ...[exactDecimal(BigInt(micro), 6), exactDecimal(BigInt(pico), 12)],
    ]);
}

import { type deleteBudget as operation, requestErrors } from '@berth/contract';
import type { WriteCall } from '../http/call.ts';
import { budgetColumns } from './record.ts';
import { renderSettings } from './render-budget.ts';

/** Its alerts, and callbacks that were not delivered, go with it. */
export async function deleteBudget(call: WriteCall<typeof operation>) {
  const { tx, accountId, params } = call;
  const row = await tx
    .deleteFrom('budgets')
    .where('account_id', '=', accountId)
    .where('name', '=', params.budgetName)
    .returning(budgetColumns)
    .executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  call.target(`budget/${row.name}`);
  return renderSettings(row);
}

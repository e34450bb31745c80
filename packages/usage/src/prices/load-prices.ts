import { billingDimensions } from '@berth/contract';
import type { Database } from '@berth/database';
import type { PriceStep } from '../ledger/ledger-row.ts';
import { attoUsd } from './atto-usd.ts';

/** All prices of an account, the oldest first. A price holds from its full hour on, until the next one of its dimension. */
export async function loadPrices(database: Database, accountId: string): Promise<PriceStep[]> {
  const rows = await database
    .selectFrom('prices')
    .select(['billing_dimension', 'usd_per_unit', 'valid_from'])
    .where('account_id', '=', accountId)
    .orderBy('valid_from')
    .execute();
  return rows.flatMap(({ billing_dimension, usd_per_unit, valid_from }) => {
    const dimension = billingDimensions.find(({ name }) => name === billing_dimension)?.name;
    return dimension === undefined ? [] : [{ dimension, fromMs: valid_from.getTime(), attoUsd: attoUsd(usd_per_unit) }];
  });
}

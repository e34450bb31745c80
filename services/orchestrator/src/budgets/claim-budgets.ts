// Takes budgets that were not evaluated for a minute. The time of the evaluation is written first: a process that is killed
// meanwhile delays its budgets by a minute, and no budget keeps others waiting.
import type { BudgetOf } from '@berth/contract';
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import type { Budget } from './judge-budget.ts';

export interface ClaimedBudget extends Budget {
  readonly of: BudgetOf;
  readonly accountId: string;
}

const againSeconds = 60;

export async function claimBudgets(database: Database, limit: number): Promise<ClaimedBudget[]> {
  const { rows } = await sql<ClaimedBudget>`
    update budgets set evaluated_at = clock_timestamp()
    from (
      select id from budgets where evaluated_at <= now() - make_interval(secs => ${againSeconds})
      order by evaluated_at limit ${limit} for update skip locked
    ) as chosen
    where budgets.id = chosen.id
    returning budgets.id, account_id as "accountId", amount_usd as "amountUsd", thresholds, workspace, of,
      updated_at as "updatedAt"`.execute(database);
  return rows;
}

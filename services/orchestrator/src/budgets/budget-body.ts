import type { BudgetOf } from '@berth/contract';
import { usdOf } from '@berth/usage';

/** A threshold that was reached, as its callback tells it. Amounts are in 10⁻¹² USD. */
export interface ToldThreshold {
  readonly accountId: string;
  readonly budget: string;
  readonly of: BudgetOf;
  readonly workspace: string | null;
  readonly month: string;
  readonly percent: number;
  readonly amountPico: bigint;
  readonly costPico: bigint;
  readonly reachedAt: Date;
}

export const budgetBody = (told: ToldThreshold): string =>
  JSON.stringify({
    type: 'budget.threshold_reached',
    accountId: told.accountId,
    budget: told.budget,
    of: told.of,
    ...(told.workspace === null ? {} : { workspace: told.workspace }),
    month: told.month,
    threshold: told.percent,
    amount: usdOf(told.amountPico),
    cost: usdOf(told.costPico),
    reachedAt: told.reachedAt.toISOString(),
  });

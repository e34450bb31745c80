// Which thresholds of a budget are reached. Pure.
import { attoUsd, monthPeriod } from '@berth/usage';

export interface Budget {
  readonly id: string;
  readonly amountUsd: string;
  /** Percent of the amount. */
  readonly thresholds: readonly number[];
  /** Null for all workspaces of the account. */
  readonly workspace: string | null;
  readonly updatedAt: Date;
}

export interface MonthCosts {
  readonly month: string;
  /** What a budget counts, in 10⁻¹² USD. */
  readonly costOf: (budget: Pick<Budget, 'id' | 'workspace'>) => bigint;
}

export interface ReachedThreshold {
  readonly month: string;
  readonly percent: number;
  /** Cost of the month in 10⁻¹² USD. */
  readonly pico: bigint;
}

/** Oldest month first, ascending in each. A month is not judged by a budget that was written after its end. */
export const judgeBudget = (budget: Budget, costs: readonly MonthCosts[]): ReachedThreshold[] =>
  costs
    .filter(({ month }) => budget.updatedAt.getTime() < monthPeriod(month).toMs)
    .flatMap(({ month, costOf }) => {
      const pico = costOf(budget);
      return reachedPercents(budget, pico).map((percent) => ({ month, percent, pico }));
    });

/** Without a division, so that a threshold is reached at its exact amount. */
const reachedPercents = ({ amountUsd, thresholds }: Budget, pico: bigint): number[] =>
  thresholds
    .filter((percent) => pico * 1_000_000n * 100n >= attoUsd(amountUsd) * BigInt(percent))
    .toSorted((left, right) => left - right);

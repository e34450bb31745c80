import type { TwoAccounts } from './two-accounts.ts';

export interface Attack {
  readonly name: string;
  /** Creates what must exist before anything is measured. */
  prepare?(accounts: TwoAccounts): Promise<void>;
  begin(accounts: TwoAccounts): Promise<AttackUnderWay>;
}

interface AttackUnderWay {
  /** Processes of the attack outside containers. */
  readonly pids: readonly number[];
  /** Stops the attack, and removes anything that would affect the next one. */
  end(): Promise<AttackOutcome>;
}

export interface AttackOutcome {
  /** Distinct refusals that the greedy account received. */
  readonly refusals: readonly string[];
  /** Limits that must have been reached, as the refusals name them. */
  readonly expected: readonly RegExp[];
  /** Limits that a fast machine may reach as well. */
  readonly possible?: readonly RegExp[];
  readonly detail: Readonly<Record<string, string | number>>;
}

/** Expected limits that no refusal names, and refusals that name none of the limits. */
export function unnamed({ refusals, expected, possible = [] }: AttackOutcome): string[] {
  return [
    ...expected.filter((limit) => !refusals.some((text) => limit.test(text))).map((limit) => `nobody named ${limit}`),
    ...refusals.filter((text) => ![...expected, ...possible].some((limit) => limit.test(text))),
  ];
}

/** Refusals of the api that any attack may receive. */
export const limitsOfRequests = [
  /api\.rateLimits\.perKey/,
  /api\.rateLimits\.perAddress/,
  /api\.largeBodyMbPerSecond/,
  /longer than [\d.]+ seconds/,
];

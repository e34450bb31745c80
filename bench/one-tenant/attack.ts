import type { Bed } from './bed.ts';

export interface Attack {
  readonly name: string;
  /** What has to be there before anything is measured. */
  prepare?(bed: Bed): Promise<void>;
  begin(bed: Bed): Promise<AttackUnderWay>;
}

interface AttackUnderWay {
  /** Programs of the attack outside containers. */
  readonly pids: readonly number[];
  /** Stops it, and clears away what the next attack would suffer from. */
  end(): Promise<AttackOutcome>;
}

export interface AttackOutcome {
  /** What the greedy account was told, each once. */
  readonly refusals: readonly string[];
  /** Limits that must have been met, as the refusals name them. */
  readonly expected: readonly RegExp[];
  /** Those that may have been met, where the machine is fast enough. */
  readonly possible?: readonly RegExp[];
  readonly detail: Readonly<Record<string, string | number>>;
}

/** Of the limits that were to be met nobody was told, and the refusals that name none. */
export function unnamed({ refusals, expected, possible = [] }: AttackOutcome): string[] {
  return [
    ...expected.filter((limit) => !refusals.some((text) => limit.test(text))).map((limit) => `nobody named ${limit}`),
    ...refusals.filter((text) => ![...expected, ...possible].some((limit) => limit.test(text))),
  ];
}

/** Refusals of the api that any attack may meet. */
export const limitsOfRequests = [
  /api\.rateLimits\.perKey/,
  /api\.rateLimits\.perAddress/,
  /api\.largeBodyMbPerSecond/,
  /longer than [\d.]+ seconds/,
];

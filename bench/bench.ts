import type { IsolationClass } from '@berth/contract/node';

export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** One figure with, where it matters, its bound. */
export type Measure = {
  readonly name: string;
  readonly value: number;
  /** `x` is a ratio against the bare engine in the same run: machines differ, but the ratio hardly does. */
  readonly unit:
    | 'x'
    | 'ms'
    | 'µs'
    | 'per second'
    | 'KiB'
    | 'MiB'
    | 's'
    | 'streams'
    | 'events'
    | 'restores'
    | 'requests'
    | 'refusals'
    | 'ms CPU per s';
  readonly bound?: Bound;
  readonly detail?: Readonly<Record<string, string | number>>;
};

type BenchOptions = {
  /** Runs at the size for which a service level is stated; otherwise a quick check. */
  readonly full: boolean;
  /** Isolation classes that sandbox benches measure. */
  readonly isolations: readonly IsolationClass[];
};

export type Bench = {
  readonly name: string;
  /** The measured quantity and its comparison. */
  readonly about: string;
  /** Yields each figure as soon as it is known. */
  run(options: BenchOptions): AsyncIterable<Measure>;
};

export function isWithin(value: number, bound: Bound | undefined): boolean {
  if (bound === undefined) return Number.isFinite(value);
  return Number.isFinite(value) && ('atMost' in bound ? value <= bound.atMost : value >= bound.atLeast);
}

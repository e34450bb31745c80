import type { IsolationClass } from '@berth/contract';

export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** One figure with, where it matters, the bound it must keep. */
export type Measure = {
  readonly name: string;
  readonly value: number;
  /** `x` is a ratio against the bare engine in the same run: machines differ, the ratio between the two hardly does. */
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
  /** The size that a service level is stated for; otherwise a quick look. */
  readonly full: boolean;
  /** The classes that benches of sandboxes measure. */
  readonly isolations: readonly IsolationClass[];
};

export type Bench = {
  readonly name: string;
  /** What is measured, and against what. */
  readonly about: string;
  /** Yields each figure as soon as it is known. */
  run(options: BenchOptions): AsyncIterable<Measure>;
};

export function isWithin(value: number, bound: Bound | undefined): boolean {
  if (bound === undefined) return Number.isFinite(value);
  return Number.isFinite(value) && ('atMost' in bound ? value <= bound.atMost : value >= bound.atLeast);
}

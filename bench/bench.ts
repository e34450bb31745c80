/** A measurement against the bare engine in the same run: machines differ, the ratio between the two hardly does. */
export type Bench = {
  name: string;
  /** What is divided by what, e.g. "our clone / bare CREATE DATABASE". */
  ratioOf: string;
  /** Beyond this the run fails. */
  bound: { atMost: number } | { atLeast: number };
  run(options: { full: boolean }): Promise<{ ratio: number; detail: Readonly<Record<string, string | number>> }>;
};

export function isWithin(ratio: number, bound: Bench['bound']): boolean {
  return Number.isFinite(ratio) && ('atMost' in bound ? ratio <= bound.atMost : ratio >= bound.atLeast);
}

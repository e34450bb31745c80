// Inputs from which the parts of a request are made.
import type { Brand } from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';

export interface FuzzSetting {
  readonly brand: Brand;
  readonly workspace: string;
  readonly keys: { readonly admin: string; readonly member: string };
  /** Values of path parameters that exist at the beginning. */
  readonly params: Readonly<Record<string, string>>;
}

/** A part of a request: as a good client sends it (`usual`), and possibly mutated (`bent`). */
export interface Part<T> {
  readonly usual: Arbitrary<T>;
  readonly bent: Arbitrary<T>;
}

export const often = <T>(usual: Arbitrary<T>, weight: number, odd: Arbitrary<T>): Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

// Numbers of an answer with all their digits: a JavaScript number holds 15, which is 9 007 USD in 10⁻¹² USD.

declare global {
  /** TypeScript does not know it yet. */
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** Decimal text of an integer that counts parts of 10 to the power of -`digits`, without zeros at its end. */
export function exactDecimal(parts: bigint, digits: number): string {
  const sign = parts < 0n ? '-' : '';
  const all = String(parts < 0n ? -parts : parts).padStart(digits + 1, '0');
  const fraction = all.slice(all.length - digits).replace(/0+$/, '');
  return sign + all.slice(0, all.length - digits) + (fraction === '' ? '' : `.${fraction}`);
}

/** A value that `JSON.stringify` writes as a number with all its digits. */
export type ExactNumber = object;

export const usdOf = (pico: bigint): ExactNumber => JSON.rawJSON(exactDecimal(pico, 12));
export const unitsOf = (micro: bigint): ExactNumber => JSON.rawJSON(exactDecimal(micro, 6));

const digits = 18;

/** Reads decimal text such as `0.0000115` as units of 10⁻¹⁸. */
export function attoUsd(text: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (whole === '') throw new Error(`The price ${text} is no decimal with at most ${digits} digits.`);
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

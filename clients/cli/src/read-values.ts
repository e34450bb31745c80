// Values of options that are more than text.
import { UsageError } from './exit-codes.ts';

/** `NAME=value`. */
export function variablesIn(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    list.map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at <= 0) throw new UsageError(`"${text}" is no variable. Write NAME=value.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

export function wholeNumber(text: string | undefined, what: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is no ${what}: it is a whole number.`);
}

import { Fault } from '../http/fault.ts';

/** With the stricter rules of Unicode where the pattern follows them, since only they know `\p{…}`. A Fault (400) when it is none. */
export function lineExpression(source: string, isCaseSensitive: boolean): RegExp {
  const flags = isCaseSensitive ? 'g' : 'gi';
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    try {
      return new RegExp(source, flags);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Fault(
        400,
        `The query is not a regular expression: ${reason}. Put \\ before characters that mean themselves.`,
      );
    }
  }
}

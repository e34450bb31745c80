import { Fault } from '../http/fault.ts';

/**
 * Uses the stricter Unicode rules when the pattern follows them, since only they support `\p{…}`. Throws a Fault (400)
 * for an invalid pattern.
 */
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

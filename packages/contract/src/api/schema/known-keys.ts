// An object that takes only its declared keys. A mistyped key would be stored without effect, so it is refused, and the
// error suggests the key that was probably meant.
import { z } from 'zod';

export const knownKeys = <const S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownKey(issue.keys[0] ?? '', Object.keys(shape)) : undefined,
  });

export function unknownKey(key: string, known: readonly string[]): string {
  const shown = key.slice(0, 64);
  const [nearest] = known.map((name) => ({ name, edits: distance(shown, name) })).toSorted((a, b) => a.edits - b.edits);
  return nearest !== undefined && nearest.edits <= Math.max(2, nearest.name.length / 3)
    ? `Unknown key ${shown}. Did you mean ${nearest.name}?`
    : `Unknown key ${shown}. Known are: ${[...known].sort().join(', ')}`;
}

/** Levenshtein distance, ignoring case. */
function distance(left: string, right: string): number {
  const to = right.toLowerCase();
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...left.toLowerCase()].entries()) {
    const next = [line + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (to[column] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

import { closeSync, constants, openSync } from 'node:fs';
import type { ByteText } from './byte-text.ts';
import { openable } from './latin-path.ts';
import { type LineHit, LineSearch } from './line-search.ts';

/** `found` returns whether to go on. A file that cannot be read has no hits. */
export function searchFile(
  latinPath: string,
  text: ByteText,
  contextLines: number,
  found: (hit: LineHit) => boolean,
): void {
  let descriptor: number;
  try {
    // A file that was replaced by a pipe or a link since it was listed must neither block nor lead elsewhere.
    descriptor = openSync(openable(latinPath), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return;
  }
  try {
    new LineSearch(descriptor, text, contextLines, found).run();
  } finally {
    closeSync(descriptor);
  }
}

import { Fault } from '../http/fault.ts';

const maxCharacters = 4 * 1024 * 1024;

/**
 * Lines from `first` to `last`, counted from 1, both included, without the last line break. Reads no further than
 * `last` and keeps only these lines.
 */
export async function readLines(pieces: AsyncIterable<string>, first: number, last: number): Promise<string> {
  if (first < 1 || first > last) {
    throw new Fault(400, `There are no lines ${first} to ${last}. Lines count from 1, the smaller number comes first.`);
  }
  let content = '';
  let line = 1;
  let isLineBegun = false;
  for await (const piece of pieces) {
    const parts = piece.split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        if (line >= first && line < last) content += '\n';
        line += 1;
        isLineBegun = false;
      }
      if (line > last) return content;
      if (line >= first) content += part;
      isLineBegun ||= part !== '';
    }
    if (content.length > maxCharacters) throw new Fault(413, 'These lines are too long for one answer. Ask for fewer.');
  }
  const lines = isLineBegun ? line : line - 1;
  if (lines >= last) return content;
  throw new Fault(400, `The file has ${lines} lines, so there are no lines ${first} to ${last}. Ask for less.`);
}

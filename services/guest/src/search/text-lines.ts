// Lines of a file in slices, so that neither a large file nor a long line is ever whole in memory. Reads synchronously,
// so it needs its own thread.
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { bytesPerMb } from '@berth/contract/guest';
import { openable } from './latin-path.ts';

const sliceBytes = 256 * 1024;
const maxLineBytes = bytesPerMb;
const lineFeed = 10;

export type TextLines = {
  /** Each line with its line break; the last line of a file may lack it. */
  lines: string[];
  /** Position of the first line: its number from 1, and its offset in bytes from the start of the file. */
  lineNumber: number;
  byteOffset: number;
};

const slice = Buffer.allocUnsafeSlow(sliceBytes);

/**
 * Stops at the first sign that the file is no text: a NUL byte, or a line longer than a person would write. A file that
 * cannot be read has no lines.
 */
export function* textLines(latinPath: string): Generator<TextLines, void> {
  const descriptor = opened(latinPath);
  if (descriptor === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    let lineNumber = 1;
    let byteOffset = 0;
    for (;;) {
      const size = readInto(descriptor);
      const bytes = slice.subarray(0, size);
      if (size === undefined || bytes.includes(0)) return;
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const end = size === 0 ? all.length : all.lastIndexOf(lineFeed) + 1;
      const lines = all.toString('utf8', 0, end).match(/[^\n]*\n|[^\n]+$/g) ?? [];
      if (lines.length > 0) yield { lines, lineNumber, byteOffset };
      if (size === 0) return;
      lineNumber += lines.length;
      byteOffset += end;
      // A copy, since the slice is reused.
      rest = Buffer.from(all.subarray(end));
      if (rest.length > maxLineBytes) return;
    }
  } finally {
    closeSync(descriptor);
  }
}

function opened(latinPath: string): number | undefined {
  try {
    // A file that was replaced by a pipe or a link since it was listed must neither block nor lead elsewhere.
    return openSync(openable(latinPath), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

function readInto(descriptor: number): number | undefined {
  try {
    return readSync(descriptor, slice, 0, sliceBytes, null);
  } catch {
    return undefined;
  }
}

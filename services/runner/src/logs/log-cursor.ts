// Position up to which an instance's output has been sent. It moves only after the api has stored the lines. Lines
// that are read again after a crash get the same sequence numbers, and the api stores them once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../state/write-file-atomically.ts';

const Cursor = z.object({
  container: z.string(),
  segment: z.string(),
  offset: z.int().nonnegative(),
  /** Sequence number of the next line. */
  sequence: z.int().nonnegative(),
});
export type Cursor = z.infer<typeof Cursor>;

const firstCursor: Cursor = { container: '', segment: '', offset: 0, sequence: 0 };

const fileIn = (folder: string): string => join(folder, 'cursor.json');

export async function loadCursor(folder: string): Promise<Cursor> {
  try {
    return Cursor.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
  } catch {
    return firstCursor;
  }
}

export const saveCursor = (folder: string, cursor: Cursor): Promise<void> =>
  writeFileAtomically(fileIn(folder), JSON.stringify(cursor));

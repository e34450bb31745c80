// Reads a text, changes it, writes it back. Changes of one file run one by one, so that none of fifty at once is lost.
import { bytesPerMb } from '@berth/contract/guest';
import { openForReading } from '../files/open-for-reading.ts';
import { systemFault } from '../files/system-fault.ts';
import { writeFile } from '../files/write-file.ts';
import { Fault, systemCode } from '../http/fault.ts';
import type { ResolvedPath } from '../paths.ts';

const maxFileBytes = 4 * bytesPerMb;

const lastChange = new Map<string, Promise<unknown>>();

/** `change` gets undefined for a file that does not exist. Mode and owner are kept. */
export async function changeFile(
  path: ResolvedPath,
  change: (content: string | undefined) => string,
): Promise<{ before: string | undefined; after: string }> {
  const previous = lastChange.get(path.absolute) ?? Promise.resolve();
  const mine = previous.then(async () => {
    const before = await readText(path);
    const after = change(before);
    if (after !== before) await writeFile(path.absolute, after, { echoed: path.echoed });
    return { before, after };
  });
  const settled = mine.then(
    () => undefined,
    () => undefined,
  );
  lastChange.set(path.absolute, settled);
  try {
    return await mine;
  } finally {
    if (lastChange.get(path.absolute) === settled) lastChange.delete(path.absolute);
  }
}

/** Reads the exact text or fails: a byte that is not UTF-8 would become another one after the change. */
export async function readText({ absolute, echoed }: ResolvedPath): Promise<string | undefined> {
  try {
    const { handle, stats } = await openForReading(absolute);
    try {
      if (stats.size > maxFileBytes)
        throw new Fault(413, `${echoed} is larger than ${maxFileBytes} bytes. ${alternative}`);
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new Fault(422, `${echoed} is not UTF-8 text. ${alternative}`);
    }
    throw systemFault(error, 'read', echoed);
  }
}

const alternative = 'Change it with a process instead, for example sed.';

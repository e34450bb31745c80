// Reads a file as text: whole with `readFile`, in pieces for an answer with `openText`.
import { StringDecoder } from 'node:string_decoder';
import { bytesPerMb, type FileDescription, type FileWithContent } from '@berth/contract/guest';
import { Fault } from '../http/fault.ts';
import { accountNames } from './account-names.ts';
import { describeFile } from './describe-file.ts';
import { type OpenedFile, openForReading } from './open-for-reading.ts';
import { withFaults } from './system-fault.ts';

const maxTextBytes = 32 * bytesPerMb;
const pieceBytes = 64 * 1024;
const minPieceBytes = 4096;

/** `echoed` is the path as the caller wrote it. Bytes that are not UTF-8 become U+FFFD. */
export async function readFile(
  path: string,
  { echoed = path, maxBytes = maxTextBytes } = {},
): Promise<FileWithContent> {
  const { description, pieces } = await openText(path, { echoed, maxBytes });
  let content = '';
  for await (const piece of pieces) content += piece;
  return { ...description, content };
}

export type OpenedText = { description: FileDescription; pieces: AsyncGenerator<string, void, undefined> };

/** The file stays open until `pieces` is read to its end or closed early. */
export async function openText(path: string, { echoed = path, maxBytes = maxTextBytes } = {}): Promise<OpenedText> {
  const opened = await withFaults('read', echoed, () => openForReading(path));
  if (opened.stats.size > maxBytes) {
    await opened.handle.close();
    throw tooLarge(echoed, maxBytes);
  }
  const description = describeFile(echoed, opened.stats, await accountNames());
  return { description, pieces: textOf(opened, echoed, maxBytes) };
}

async function* textOf({ handle, stats }: OpenedFile, path: string, maxBytes: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  // No larger than the file: thousands of small reads would create much garbage.
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(minPieceBytes, stats.size)));
  let total = 0;
  try {
    while (true) {
      const { bytesRead } = await withFaults('read', path, () => handle.read(buffer, 0, buffer.length));
      if (bytesRead === 0) break;
      total += bytesRead;
      // Files of /proc report a size of 0, and any file may grow.
      if (total > maxBytes) throw tooLarge(path, maxBytes);
      yield decoder.write(buffer.subarray(0, bytesRead));
    }
    yield decoder.end();
  } finally {
    await handle.close();
  }
}

const tooLarge = (path: string, maxBytes: number) =>
  new Fault(
    413,
    `${path} is larger than ${maxBytes} bytes, the most that fits a JSON answer. Download it: add ?download=true or send "Accept: application/octet-stream".`,
  );

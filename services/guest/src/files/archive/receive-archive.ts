// Writes what an archive holds below a folder. Each file is written whole or not at all; files that the archive does not hold
// are kept.
import { copyFile, rm, symlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import type { Call } from '../../http/call.ts';
import { drain } from '../../http/drain.ts';
import { Fault } from '../../http/fault.ts';
import { makeDirectory } from '../make-directory.ts';
import { makeFolders } from '../make-folders.ts';
import { placeBelow } from '../place-below.ts';
import { withFaults } from '../system-fault.ts';
import { type UnfinishedTransfers, unfinishedTransfersIn } from '../unfinished-transfers.ts';
import { writeFile } from '../write-file.ts';
import { WritesUnderWay } from './writes-under-way.ts';

export async function receiveArchive({ request, guest }: Call, root: string): Promise<void> {
  const { readable, writable } = createTarDecoder({ strict: true });
  const writer = writable.getWriter();
  const feed = async (): Promise<void> => {
    try {
      for await (const bytes of request.iterator({ destroyOnReturn: false })) await writer.write(bytes);
      await writer.close();
    } catch (error) {
      await writer.abort(error).catch(() => undefined);
      throw error;
    }
  };
  const feeding = feed();
  feeding.catch(() => undefined);
  try {
    const unfinished = unfinishedTransfersIn(guest.settings.stateFolder);
    await makeDirectory(root);
    await writeEntries(readable, root, unfinished);
    await feeding;
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    await drain(request);
    if (error instanceof Fault) throw error;
    throw new Fault(400, 'The archive is cut short or malformed. Send it again.', { cause: error });
  }
}

/** A small file is read whole, so that the next one can be read while it is written. A larger one is written as it arrives, alone. */
const smallBytes = 64 * 1024;

interface Link {
  readonly path: string;
  readonly target: string;
}

async function writeEntries(
  entries: AsyncIterable<ParsedTarEntry>,
  root: string,
  unfinished: UnfinishedTransfers,
): Promise<void> {
  const writes = new WritesUnderWay();
  // Made at the end: an archive may not write through its own links.
  const links: Link[] = [];
  try {
    for await (const { header, body } of entries) {
      const { name, size, type = 'file', mode, linkname = '' } = header;
      const path = placeOf(root, name);
      if (type === 'file') {
        const options = { mode: mode === undefined ? undefined : mode & 0o7777 };
        if (size <= smallBytes) {
          const content = Buffer.from(await new Response(body).arrayBuffer());
          await writes.add(path, () => writeFile(path, content, options));
        } else {
          await writes.add(path, () => writeFile(path, piecesOf(body), { ...options, unfinished }));
          await writes.end();
        }
        continue;
      }
      await body.cancel();
      if (type === 'directory') await makeDirectory(path, { mode });
      else if (type === 'symlink') links.push({ path, target: linkname });
      else if (type === 'link') {
        await writes.end();
        await copy(placeOf(root, linkname), path);
      } else
        throw new Fault(400, `The archive holds ${JSON.stringify(name)}, a ${type}. Send files, folders and links.`);
    }
  } finally {
    await writes.end();
  }
  for (const { path, target } of links) {
    await withFaults('write', path, async () => {
      await makeFolders(posix.dirname(path));
      await rm(path, { force: true });
      await symlink(target, path);
    });
  }
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const bytes of body) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function placeOf(root: string, name: string): string {
  const path = placeBelow(root, name);
  if (path !== undefined) return path;
  throw new Fault(
    400,
    `The archive holds ${JSON.stringify(name)}, which is not below ${root}. Send names relative to it.`,
  );
}

/** An archive names a file once, and the other names of the same file as links to it. */
const copy = (from: string, to: string): Promise<void> =>
  withFaults('write', to, async () => {
    await makeFolders(posix.dirname(to));
    await copyFile(from, to);
  });

// Copies files between this machine and a sandbox.
import { openAsBlob } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InvalidRequestError, type SandboxHandle } from 'berth-sdk';
import { packTar, unpackTar } from 'modern-tar/fs';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { placeBelow } from '../place-below.ts';

export const cp: Command = {
  name: 'cp',
  about: 'Copies files and folders from or to a sandbox',
  arguments: [{ name: 'from' }, { name: 'to' }],
  examples: ['berth cp ./app demo:/app', 'berth cp demo:/app/report.pdf .'],
  async run({ given, berth, printer, signal }) {
    const [from, to] = [placeOf(given.argument('from')), placeOf(given.argument('to'))];
    if ((from.sandbox === undefined) === (to.sandbox === undefined))
      throw new UsageError('One of the two places is in a sandbox: <sandbox>:<path>.');
    const box = await (await berth()).sandboxes.get(from.sandbox ?? to.sandbox ?? '');
    const files =
      from.sandbox === undefined
        ? await upload(box, from.path, to.path, signal)
        : await download(box, from.path, to.path, signal);
    printer.one({ files }, [{ title: 'files', of: (row) => row.files }]);
  },
};

interface Place {
  readonly sandbox: string | undefined;
  readonly path: string;
}

/** A path that begins with a dot or a slash is of this machine, whatever follows. */
function placeOf(text: string): Place {
  const at = text.indexOf(':');
  if (at <= 0 || /^[./]/.test(text)) return { sandbox: undefined, path: text };
  return { sandbox: text.slice(0, at), path: text.slice(at + 1) };
}

async function upload(box: SandboxHandle, from: string, to: string, signal: AbortSignal): Promise<number> {
  const info = await stat(from);
  if (!info.isDirectory()) {
    const permissions = (info.mode & 0o777).toString(8);
    const path = to.endsWith('/') ? `${to}${basename(from)}` : to;
    await box.files.write(path, await openAsBlob(from), { permissions, signal });
    return 1;
  }
  let files = 0;
  const open = () => {
    files = 0;
    const archive = packTar(from, {
      filter(_, stats) {
        files += Number(stats.isFile());
        return true;
      },
    });
    return Readable.toWeb(archive);
  };
  await box.files.writeArchive(await absolute(box, to), open, signal);
  return files;
}

async function download(box: SandboxHandle, from: string, to: string, signal: AbortSignal): Promise<number> {
  const archive = await box.files.readArchive(await absolute(box, from), signal).catch(noFolder);
  if (archive !== undefined) return unpack(archive, to);
  const isFolder = await stat(to).then(
    (found) => found.isDirectory(),
    () => to.endsWith('/'),
  );
  await save(isFolder ? join(to, posix.basename(from)) : to, await box.files.read(from, signal));
  return 1;
}

function noFolder(error: unknown): undefined {
  if (!(error instanceof InvalidRequestError)) throw error;
}

/** Files and folders alone: a sandbox may send any archive, and links would lead out of the folder. */
async function unpack(archive: ReadableStream<Uint8Array>, to: string): Promise<number> {
  let files = 0;
  const unpacking = unpackTar(to, {
    strict: true,
    filter({ name, type = 'file' }) {
      placeBelow(to, name);
      if (type === 'file') files += 1;
      return type === 'file' || type === 'directory';
    },
    map: (header) => ({ ...header, mode: (header.mode ?? 0o644) & 0o777 }),
  });
  await pipeline(archive, unpacking);
  return files;
}

/** The routes of whole folders take absolute paths alone. */
async function absolute(box: SandboxHandle, path: string): Promise<string> {
  if (path.startsWith('/')) return path;
  const home = path === '~' || path.startsWith('~/');
  const { stdout } = await box.exec(home ? 'printf %s "$HOME"' : 'pwd -P');
  return posix.join(stdout.trim(), home ? path.slice(1) : path);
}

async function save(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
}

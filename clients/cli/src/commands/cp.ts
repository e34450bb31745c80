// Copies files between this machine and a sandbox.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix, relative } from 'node:path';
import type { SandboxHandle } from 'berth-sdk';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { placeBelow } from '../place-below.ts';
import { shellWord } from '../shell-word.ts';

/** Files under way at once. */
const atOnce = 16;

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
  const isFolder = (await stat(from)).isDirectory();
  const files = isFolder
    ? (await readdir(from, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    : [];
  const pairs = isFolder
    ? files.map(
        ({ parentPath, name }) =>
          [join(parentPath, name), posix.join(to, relative(from, join(parentPath, name)))] as const,
      )
    : [[from, to.endsWith('/') ? `${to}${basename(from)}` : to] as const];
  await each(pairs, async ([local, remote]) => {
    const { mode } = await stat(local);
    await box.files.write(remote, new Uint8Array(await readFile(local)), {
      permissions: (mode & 0o777).toString(8),
      signal,
    });
  });
  return pairs.length;
}

async function download(box: SandboxHandle, from: string, to: string, signal: AbortSignal): Promise<number> {
  const info = await box.exec(`test -d ${shellWord(from)} && echo folder || echo file`);
  if (info.stdout.trim() === 'file') {
    const isFolder = await stat(to).then(
      (found) => found.isDirectory(),
      () => to.endsWith('/'),
    );
    await save(isFolder ? join(to, posix.basename(from)) : to, await box.files.read(from, signal));
    return 1;
  }
  const { matches } = await box.files.find(from, { isWhole: true });
  // All of them before the first is written: a sandbox may answer with any name.
  const pairs = matches.map(({ path }) => [posix.join(from, path), placeBelow(to, path)] as const);
  await each(pairs, async ([remote, local]) => save(local, await box.files.read(remote, signal)));
  return matches.length;
}

async function save(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
}

async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const some = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, some));
}

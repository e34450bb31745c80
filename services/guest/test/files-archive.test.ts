// Whole folders as archives, against the `tar` of this machine: what it writes is read, and what is written it reads.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { packTar, type TarEntry } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGuest, type TestGuest } from './test-guest.ts';

let guest: TestGuest;
beforeAll(async () => {
  guest = await startTestGuest();
});
afterAll(() => guest[Symbol.asyncDispose]());

const headers = { 'content-type': 'application/x-tar', accept: 'application/x-tar' };
const tree = (path: string): string => `/filesystem/tree/${encodeURIComponent(path.slice(1))}`;
const send = (path: string, body: Buffer | Uint8Array) =>
  guest.ask(tree(path), {
    method: 'PUT',
    body: Buffer.from(body),
    headers: { 'content-type': headers['content-type'] },
  });
const tarOf = (folder: string): Buffer =>
  execFileSync('tar', ['--create', '--directory', folder, '.'], { maxBuffer: 1e8 });
const archive = (...entries: TarEntry[]): Promise<Uint8Array> => packTar(entries);

const long = `${'n'.repeat(90)}/${'m'.repeat(200)}.txt`;

async function someFolder(): Promise<string> {
  const folder = await mkdtemp(join(guest.home, 'folder-'));
  await mkdir(join(folder, 'sub/empty'), { recursive: true });
  await mkdir(join(folder, long, '..'), { recursive: true });
  await writeFile(join(folder, 'bytes'), randomBytes(3_000_000));
  await writeFile(join(folder, 'sub/ü "1".sh'), '#!/bin/sh\n');
  await chmod(join(folder, 'sub/ü "1".sh'), 0o751);
  await writeFile(join(folder, '.hidden'), '');
  await writeFile(join(folder, long), 'far');
  await symlink('../bytes', join(folder, 'sub/link'));
  await link(join(folder, 'bytes'), join(folder, 'same'));
  return folder;
}

/** What lies in a folder, with the contents of files and the targets of links. */
async function contentsOf(folder: string) {
  const names = (await readdir(folder, { recursive: true })).toSorted();
  const entries = names.map(async (name) => {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return [name, 'link', await readlink(path)];
    const mode = (stats.mode & 0o7777).toString(8);
    return [name, mode, stats.isFile() ? (await readFile(path)).toString('base64') : 'folder'];
  });
  return Promise.all(entries);
}

test('a folder that is sent as an archive is the same there, and read back it is the same again', async () => {
  const folder = await someFolder();
  const target = join(guest.home, 'deep/target');
  const answer = await send(target, tarOf(folder));
  expect(answer.status).toBe(200);
  expect(answer.json.files.map(({ name }: { name: string }) => name).toSorted()).toEqual(['.hidden', 'bytes', 'same']);
  const wanted = await contentsOf(folder);
  expect(await contentsOf(target)).toEqual(wanted);

  const { status, headers: told, bytes } = await guest.ask(tree(target), { headers: { accept: headers.accept } });
  expect([status, told['content-type']]).toEqual([200, headers.accept]);
  const again = await mkdtemp(join(guest.home, 'again-'));
  execFileSync('tar', ['--extract', '--preserve-permissions', '--directory', again], { input: bytes });
  expect(await contentsOf(again)).toEqual(wanted);
});

test('files that the archive does not hold are kept, and those that it holds are replaced', async () => {
  const target = join(guest.home, 'kept');
  await mkdir(target);
  await Promise.all([writeFile(join(target, 'kept'), 'kept'), writeFile(join(target, 'old'), 'old', { mode: 0o600 })]);
  await send(target, await archive({ header: { name: 'old', size: 3 }, body: 'new' }));
  expect(
    (await contentsOf(target)).map(([name, mode, text]) => [name, mode, Buffer.from(text ?? '', 'base64').toString()]),
  ).toEqual([
    ['kept', '644', 'kept'],
    ['old', '600', 'new'],
  ]);
});

describe('refused', () => {
  const outside = () => join(guest.home, 'outside');
  test.each([
    ['a name that leads out', { name: '../outside', size: 1 }, 'is not below'],
    ['a hard link that leads out', { name: 'a', size: 0, type: 'link', linkname: '../../etc/passwd' }, 'is not below'],
    ['a device', { name: 'null', size: 0, type: 'character-device' }, 'a character-device'],
  ] as const)('%s', async (_, header, reason) => {
    const target = await mkdtemp(join(guest.home, 'refused-'));
    const answer = await send(target, await archive({ header, ...(header.size > 0 && { body: 'x' }) }));
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining(reason)]);
    expect(await contentsOf(target)).toEqual([]);
    await expect(stat(outside())).rejects.toThrow('ENOENT');
  });

  test('an archive writes nothing through its own links', async () => {
    const [target, other] = [await mkdtemp(join(guest.home, 'through-')), await mkdtemp(join(guest.home, 'other-'))];
    const answer = await send(
      target,
      await archive(
        { header: { name: 'out', size: 0, type: 'symlink', linkname: other } },
        { header: { name: 'out/file', size: 1 }, body: 'x' },
      ),
    );
    expect([answer.status, await contentsOf(other)]).toEqual([422, []]);
  });

  test('an archive that is cut short, or none; no file is there in part', async () => {
    const target = await mkdtemp(join(guest.home, 'cut-'));
    const body = await archive(
      { header: { name: 'first', size: 5 }, body: 'whole' },
      { header: { name: 'second', size: 2_000_000 }, body: randomBytes(2_000_000) },
    );
    const answer = await send(target, body.subarray(0, 1_000_000));
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining('cut short or malformed')]);
    expect((await send(target, randomBytes(10_000))).status).toBe(400);
    expect((await readdir(target)).filter((name) => name !== 'first')).toEqual([]);
  });

  test('a file that cannot be written, with its name', async () => {
    const target = await mkdtemp(join(guest.home, 'unwritable-'));
    await writeFile(join(target, 'file'), 'kept');
    const answer = await send(target, await archive({ header: { name: 'file/below', size: 1 }, body: 'x' }));
    expect([answer.status, answer.json.error]).toEqual([422, expect.stringContaining(join(target, 'file/below'))]);
    expect(await readFile(join(target, 'file'), 'utf8')).toBe('kept');
  });

  test('a folder that is not there, and a file', async () => {
    await writeFile(join(guest.home, 'file'), '');
    for (const path of ['/none/such', join(guest.home, 'file')])
      expect((await guest.ask(tree(path), { headers: { accept: headers.accept } })).status).toBe(400);
    expect((await send(join(guest.home, 'file'), await archive())).status).toBe(422);
  });
});

test('two thousand files go in and come out', async () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `f/${at % 40}/${at}`);
  const target = join(guest.home, 'many');
  const body = await archive(...names.map((name) => ({ header: { name, size: name.length }, body: name })));
  expect((await send(target, body)).status).toBe(200);
  const out = await guest.ask(tree(target), { headers: { accept: headers.accept } });
  const listed = execFileSync('tar', ['--list'], { input: out.bytes }).toString().trimEnd().split('\n');
  expect(listed.filter((name) => !name.endsWith('/')).toSorted()).toEqual(names.toSorted());
});

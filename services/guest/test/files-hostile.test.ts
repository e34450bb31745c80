// Random trees with names that break naive code, on the real file system, through the real routes.
import { mkdir, readdir, readFile, rename, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formOf } from '../../../tests/harness/raw-request.ts';
import { isFull } from '../../../tests/harness/size.ts';
import { startTestGuest, type TestGuest } from './test-guest.ts';

/** Under gVisor each file operation goes through another process, so the small size does a third of the runs. */
const runs = (full: number) => ({ numRuns: isFull ? full : Math.ceil(full / 3) });

let guest: TestGuest;
let round = 0;
let root = '';
beforeAll(async () => {
  guest = await startTestGuest();
});
afterAll(() => guest[Symbol.asyncDispose]());
beforeEach(() => freshRoot());

async function freshRoot(): Promise<void> {
  round += 1;
  root = join(guest.work, `root-${round}`);
  await mkdir(root);
}

const fits = (name: string) =>
  name.isWellFormed() &&
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  !/[/\0]/.test(name) &&
  Buffer.byteLength(name) <= 255;

const hostileName = fc
  .oneof(
    fc.constantFrom(
      ' ',
      '  lead and trail  ',
      'line\nbreak',
      'carriage\r\n',
      '%',
      '%2F',
      '%2e%2e',
      '#hash',
      '?query=1',
      '...',
      '..hidden',
      '. .',
      '-rf',
      '--help',
      '~',
      '~root',
      'tree',
      '*',
      '"quoted"',
      "it's",
      '$(id)',
      '`id`',
      'back\\slash',
      'a;b&c|d',
      'e\u0301',
      '\u00e9',
      '\u202ertl',
      '\u200b',
      '😀'.repeat(60),
      'x'.repeat(255),
      'é'.repeat(127),
      '\u0001\u007f',
      'constructor',
      '__proto__',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  )
  .filter(fits);

const contents = fc.uint8Array({ maxLength: 5000 }).map((bytes) => Buffer.from(bytes));
const names = fc.uniqueArray(hostileName, { minLength: 1, maxLength: 8 });

describe('any name and any bytes', () => {
  test('an uploaded file is on the disk, in the listing and in the download, byte for byte', () =>
    fc.assert(
      fc.asyncProperty(names, contents, async (some, bytes) => {
        await freshRoot();
        for (const name of some) {
          const path = guest.at(join(root, 'sub folder', name));
          const form = formOf([{ name: 'file', value: bytes, fileName: 'x' }], 'q-3e7a1c9d5b-unlikely');
          const written = await guest.ask(path, { method: 'PUT', ...form });
          expect([written.status, written.json?.path]).toEqual([200, join(root, 'sub folder', name)]);
          expect((await readFile(join(root, 'sub folder', name))).equals(bytes)).toBe(true);
          const sent = await guest.ask(`${path}?download=true`);
          expect([sent.status, sent.bytes.equals(bytes)]).toEqual([200, true]);
          const part = await guest.ask(`${path}?download=true`, { headers: { range: 'bytes=1-100' } });
          if (bytes.length > 1) expect(part.bytes.equals(bytes.subarray(1, 101))).toBe(true);
        }
        const { json } = await guest.ask(guest.at(join(root, 'sub folder')));
        expect(json.files.map((file: { name: string }) => file.name).sort()).toEqual([...some].sort());
        expect((await guest.ask(`${guest.at(root)}?recursive=true`, { method: 'DELETE' })).status).toBe(200);
      }),
      runs(30),
    ));

  test('wire check 1: whichever form of the path wrote a file, every form reads it', () =>
    fc.assert(
      fc.asyncProperty(hostileName, fc.nat(6), async (name, writing) => {
        const raw = encodeURIComponent(name);
        const inFolder = (base: string, folder: string) => [
          `/filesystem/${folder}/${raw}`,
          `/filesystem/${folder}%2F${raw}`,
          `/filesystem/${encodeURIComponent(`${base}/${folder}/${name}`)}`,
          `/filesystem/${base}/${folder}/${raw}`,
          `/filesystem%2F${base.slice(1)}/${folder}/${raw}`,
          `/filesystem/.%2F${folder}/${raw}`,
          `/filesystem/~/../work/${folder}/${raw}`,
        ];
        const forms = inFolder(guest.work, `forms-${round}`);
        const content = `${writing} ${name}`;
        expect((await guest.put(forms[writing] ?? '', { content })).status).toBe(200);
        for (const form of forms) expect([form, (await guest.ask(form)).json.content]).toEqual([form, content]);
      }),
      runs(40),
    ));

  test('text written as JSON is read back the same', () =>
    fc.assert(
      fc.asyncProperty(hostileName, fc.string({ unit: 'binary', maxLength: 500 }), async (name, text) => {
        const content = text.toWellFormed();
        const path = guest.at(join(root, name));
        expect((await guest.put(path, { content })).status).toBe(200);
        expect((await guest.ask(path)).json).toMatchObject({ name, path: join(root, name), content });
        expect((await guest.ask(path, { method: 'DELETE' })).status).toBe(200);
      }),
      runs(60),
    ));

  test('a tree written in one request is the tree on the disk, and in the recursive listing', () =>
    fc.assert(
      fc.asyncProperty(names, names, async (folders, files) => {
        await freshRoot();
        const map = Object.fromEntries(
          folders.flatMap((folder) => files.map((file) => [`${folder}/${file}`, `${folder}:${file}`])),
        );
        const body = JSON.stringify({ files: map });
        const tree = `/filesystem/tree/${encodeURIComponent(root)}`;
        expect((await guest.ask(tree, { method: 'PUT', body })).status).toBe(200);
        const { json } = await guest.ask(`${tree}?recursive=true`);
        const listed = json.subdirectories.flatMap((one: { name: string; files: Array<{ name: string }> }) =>
          one.files.map((file) => `${one.name}/${file.name}`),
        );
        expect(listed.sort()).toEqual(Object.keys(map).sort());
        for (const [name, text] of Object.entries(map)) expect(await readFile(join(root, name), 'utf8')).toBe(text);
      }),
      runs(15),
    ));
});

describe('names that are not UTF-8', () => {
  const rawName = fc
    .uint8Array({ minLength: 1, maxLength: 255 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f || byte === 0x2e ? 0xff : byte))));

  test('they are listed, and a tree of them is deleted', () =>
    fc.assert(
      fc.asyncProperty(fc.array(rawName, { minLength: 1, maxLength: 6 }), rawName, async (some, folder) => {
        await freshRoot();
        const inside = Buffer.concat([Buffer.from(`${root}/`), folder, Buffer.from('/')]);
        await mkdir(inside);
        const unique = new Set(some.map((name) => name.toString('latin1')));
        for (const name of unique) await writeFile(Buffer.concat([inside, Buffer.from(name, 'latin1')]), 'x');
        const listing = await guest.ask(`/filesystem/tree${root}?recursive=true`);
        expect(listing.status).toBe(200);
        expect(listing.json.subdirectories[0].files).toHaveLength(unique.size);
        expect((await guest.ask(`${guest.at(root)}?recursive=true`, { method: 'DELETE' })).status).toBe(200);
        expect(await readdir(guest.work)).not.toContain(`root-${round}`);
      }),
      runs(30),
    ));
});

describe('a path that keeps changing what it is', () => {
  test('reads, writes, listings and deletions end with an answer, and never touch what a link points to by deleting', async () => {
    const outside = join(guest.work, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'kept'), 'kept');
    const path = join(root, 'what');
    let isOver = false;
    const attacker = (async () => {
      for (let turn = 0; !isOver && turn < 100_000; turn += 1) {
        const next = join(root, 'next');
        await rm(next, { recursive: true, force: true });
        if (turn % 3 === 0) await writeFile(next, 'file');
        else if (turn % 3 === 1) await symlink(outside, next);
        else await symlink(join(outside, 'kept'), next);
        await rename(next, path).catch(async () => {
          await rm(path, { recursive: true, force: true }).catch(() => undefined);
        });
        if (turn % 5 === 0) await unlink(path).catch(() => undefined);
        if (turn % 5 === 0) await mkdir(path).catch(() => undefined);
      }
    })();
    for (let turn = 0; turn < (isFull ? 150 : 50); turn += 1) {
      const answers = await Promise.all([
        guest.ask(guest.at(path)),
        guest.ask(`${guest.at(path)}?download=true`),
        guest.ask(`/filesystem/tree${root}?recursive=true`),
        guest.ask(`${guest.at(path)}?recursive=true`, { method: 'DELETE' }),
      ]);
      for (const { status } of answers) expect([200, 404, 422]).toContain(status);
      const written = await guest.put(guest.at(path), { content: 'kept' });
      expect([200, 422]).toContain(written.status);
    }
    isOver = true;
    await attacker;
    expect(await readdir(outside)).toEqual(['kept']);
    expect(await readFile(join(outside, 'kept'), 'utf8')).toBe('kept');
    expect((await readdir(root)).filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect((await stat(outside)).isDirectory()).toBe(true);
  });
});

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formOf } from '../../../tests/harness/raw-request.ts';
import { writeFile as writeFileOfGuest } from '../src/files/write-file.ts';
import { startTestGuest, type TestGuest } from './test-guest.ts';

const isRoot = process.getuid?.() === 0;
const nobodyUid = 65_534;

let guest: TestGuest;
beforeAll(async () => {
  guest = await startTestGuest();
});
afterAll(() => guest[Symbol.asyncDispose]());

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);
const partials = async (folder: string) => (await readdir(folder)).filter((name) => name.endsWith('.partial'));

describe('PUT with JSON', () => {
  test('a file is written with its parents; the answer says so', async () => {
    const answer = await guest.put('/filesystem/x/y/z.txt', { content: 'ü' });
    expect([answer.status, answer.json]).toEqual([
      200,
      { path: 'x/y/z.txt', message: expect.stringMatching(/success/) },
    ]);
    expect(await readFile(join(guest.work, 'x/y/z.txt'), 'utf8')).toBe('ü');
    expect([await modeOf(join(guest.work, 'x')), await modeOf(join(guest.work, 'x/y/z.txt'))]).toEqual(['755', '644']);
  });
  test('no content is an empty file, and null is none', async () => {
    expect((await guest.put('/filesystem/void', {})).status).toBe(200);
    expect((await guest.put('/filesystem/void2', { content: null, permissions: null })).status).toBe(200);
    expect((await stat(join(guest.work, 'void'))).size).toBe(0);
  });
  test('the mode counts when the file is made, and an existing file keeps its own', async () => {
    await guest.put('/filesystem/mode', { content: '1', permissions: '0666' });
    expect(await modeOf(join(guest.work, 'mode'))).toBe('666');
    await chmod(join(guest.work, 'mode'), 0o4751);
    await guest.put('/filesystem/mode', { content: '2', permissions: '0600' });
    expect(await modeOf(join(guest.work, 'mode'))).toBe('4751');
  });
  test('isDirectory makes a directory, again without complaint', async () => {
    for (const permissions of [undefined, '0700']) {
      const answer = await guest.put('/filesystem/dir/sub', { isDirectory: true, permissions });
      expect([answer.status, answer.json.message]).toEqual([200, expect.stringMatching(/success/)]);
      expect(await modeOf(join(guest.work, 'dir/sub'))).toBe('755');
    }
    await guest.put('/filesystem/dir2/sub', { isDirectory: true, permissions: '0700' });
    expect([await modeOf(join(guest.work, 'dir2/sub')), await modeOf(join(guest.work, 'dir2'))]).toEqual([
      '700',
      '755',
    ]);
  });
  test.each([
    ['{', 400],
    ['', 400],
    ['[]', 400],
    [{ content: 5 }, 400],
    [{ permissions: '999' }, 400],
    [{ permissions: 'rw-' }, 400],
  ])('body %j is a %i', async (body, status) => expect((await guest.put('/filesystem/bad', body)).status).toBe(status));
  test('a write that the system refuses is a 422 with the next step', async () => {
    await guest.put('/filesystem/plain', { content: '' });
    for (const [path, body] of [
      ['/filesystem/dir', { content: 'over a directory' }],
      ['/filesystem/plain', { isDirectory: true }],
      ['/filesystem/plain/below', { content: '' }],
      [`/filesystem/${'n'.repeat(256)}`, { content: '' }],
      ['/filesystem//proc/nope', { content: '' }],
    ] as const) {
      const answer = await guest.put(path, body);
      expect([path, answer.status, answer.json.error]).toEqual([path, 422, expect.stringMatching(/\. ?.*\.$/)]);
    }
  });
  test('U-05 a JSON body beyond the limit is a 413 that arrives', async () => {
    const answer = await guest.put('/filesystem/huge', Buffer.alloc(65 * bytesPerMb, 'a'));
    expect([answer.status, answer.json.error]).toEqual([413, expect.stringMatching(/filesystem-multipart/)]);
  });
});

describe('R-33 a file takes its name when it is whole', () => {
  test('links are followed: relative, chained, dangling, through linked folders', async () => {
    const folder = join(guest.work, 'via');
    await mkdir(join(folder, 'real/inner'), { recursive: true });
    await symlink('real/inner', join(folder, 'linked'));
    await symlink('../target', join(folder, 'real/inner/up'));
    await symlink('linked/up', join(folder, 'first'));
    await guest.put('/filesystem/via/first', { content: 'through' });
    expect(await readFile(join(folder, 'real/target'), 'utf8')).toBe('through');
    expect(await readlink(join(folder, 'first'))).toBe('linked/up');
    expect((await lstat(join(folder, 'real/inner/up'))).isSymbolicLink()).toBe(true);
  });
  test('links in a circle are a 422', async () => {
    await symlink('circle', join(guest.work, 'circle'));
    expect((await guest.put('/filesystem/circle', { content: '' })).status).toBe(422);
  });
  test('a reader with the file open keeps the old contents, another name of it too', async () => {
    const path = join(guest.work, 'held');
    await writeFile(path, 'old');
    await link(path, `${path}-other`);
    await guest.put('/filesystem/held', { content: 'new' });
    expect([await readFile(path, 'utf8'), await readFile(`${path}-other`, 'utf8')]).toEqual(['new', 'old']);
  });
  test('readers see the old or the new contents, never a mixture', async () => {
    const path = join(guest.work, 'swap');
    const contents = ['a', 'b'].map((letter) => letter.repeat(512 * 1024));
    await writeFile(path, contents[0] ?? '');
    let isOver = false;
    const writer = (async () => {
      for (let round = 0; !isOver && round < 10_000; round += 1)
        await writeFileOfGuest(path, contents[round % 2] ?? '');
    })();
    for (let round = 0; round < 150; round += 1) expect(contents.includes(await readFile(path, 'utf8'))).toBe(true);
    isOver = true;
    await writer;
    expect(await partials(guest.work)).toEqual([]);
  });
  test('twenty writers of one file: one of them wins, whole', async () => {
    const contents = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index).repeat(100_000));
    const answers = await Promise.all(contents.map((content) => guest.put('/filesystem/many', { content })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(contents).toContain(await readFile(join(guest.work, 'many'), 'utf8'));
    expect(await partials(guest.work)).toEqual([]);
  });
  test('a device is written where it is', async () => {
    expect((await guest.put('/filesystem//dev/null', { content: 'x' })).status).toBe(200);
    expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true);
  });
  test('a file of /proc is written where it is', async () => {
    const path = '/filesystem//proc/self/oom_score_adj';
    const { content } = (await guest.ask(path)).json;
    expect((await guest.put(path, { content })).status).toBe(200);
  });
  test('a pipe is a 422, without a wait for its reader', async () => {
    execFileSync('mkfifo', [join(guest.work, 'fifo')]);
    expect((await guest.put('/filesystem/fifo', { content: 'x' })).status).toBe(422);
  });
  test.runIf(isRoot)('the owner of an existing file stays', async () => {
    const path = join(guest.work, 'owned');
    await writeFile(path, 'old');
    await chown(path, nobodyUid, nobodyUid);
    await chmod(path, 0o4755);
    await guest.put('/filesystem/owned', { content: 'new' });
    const { uid, gid } = await stat(path);
    expect([uid, gid, await modeOf(path)]).toEqual([nobodyUid, nobodyUid, '4755']);
  });
  test.runIf(isRoot)('a file in a folder that takes no new ones is written where it is', async () => {
    const folder = join(guest.work, 'closed');
    const path = join(folder, 'open');
    await mkdir(folder);
    await writeFile(path, 'old and longer');
    await chmod(path, 0o666);
    const before = (await stat(path)).ino;
    process.seteuid?.(nobodyUid);
    try {
      await writeFileOfGuest(path, 'new');
      await expect(writeFileOfGuest(join(folder, 'fresh'), '')).rejects.toMatchObject({ status: 422 });
    } finally {
      process.seteuid?.(0);
    }
    expect([await readFile(path, 'utf8'), (await stat(path)).ino]).toEqual(['new', before]);
  });
  test.runIf(isRoot)('a file of another owner in an open folder keeps that owner', async () => {
    const folder = join(guest.work, 'shared');
    const path = join(folder, 'file');
    await mkdir(folder);
    await chmod(folder, 0o777);
    await writeFile(path, 'old and longer');
    await chmod(path, 0o666);
    process.seteuid?.(nobodyUid);
    try {
      await writeFileOfGuest(path, 'new');
    } finally {
      process.seteuid?.(0);
    }
    expect([await readFile(path, 'utf8'), (await stat(path)).uid, await readdir(folder)]).toEqual(['new', 0, ['file']]);
  });
});

describe('PUT with a form', () => {
  const bytes = randomBytes(2 * bytesPerMb + 3);
  const send = (path: string, fields: Parameters<typeof formOf>[0]) =>
    guest.ask(path, { method: 'PUT', ...formOf(fields) });

  test.each([
    ['before the file', 0],
    ['after the file', 1],
  ])('permissions %s are honoured, other fields ignored', async (_where, order) => {
    const file = { name: 'file', value: bytes, fileName: 'binary' };
    const permissions = { name: 'permissions', value: '0751' };
    const path = { name: 'path', value: '/ignored' };
    const fields = order === 0 ? [permissions, path, file] : [file, permissions, path];
    const answer = await send(`/filesystem/form-${order}`, fields);
    expect([answer.status, answer.json.message]).toEqual([200, expect.stringMatching(/success/)]);
    expect((await readFile(join(guest.work, `form-${order}`))).equals(bytes)).toBe(true);
    expect(await modeOf(join(guest.work, `form-${order}`))).toBe('751');
  });
  test('without a file, or with a file that has no name, it is a 400 and nothing is written', async () => {
    for (const fields of [
      [],
      [{ name: 'permissions', value: '0644' }],
      [{ name: 'file', value: 'x' }],
      [{ name: 'other', value: 'x', fileName: 'n' }],
    ]) {
      expect((await send('/filesystem/none', fields)).status).toBe(400);
    }
    expect(await readdir(guest.work)).not.toContain('none');
  });
  test('bad permissions after the file are a 400, and the old file stays', async () => {
    await writeFile(join(guest.work, 'stays'), 'old');
    const fields = [
      { name: 'file', value: bytes, fileName: 'n' },
      { name: 'permissions', value: 'abc' },
    ];
    expect((await send('/filesystem/stays', fields)).status).toBe(400);
    expect(await readFile(join(guest.work, 'stays'), 'utf8')).toBe('old');
    expect(await partials(guest.work)).toEqual([]);
  });
  test('an unfinished form and one without a boundary are a 400', async () => {
    const { headers, body } = formOf([{ name: 'file', value: bytes, fileName: 'n' }]);
    const cut = await guest.ask('/filesystem/cut', { method: 'PUT', headers, body: body.subarray(0, -20) });
    expect(cut.status).toBe(400);
    const without = { 'content-type': 'multipart/form-data' };
    expect((await guest.ask('/filesystem/cut', { method: 'PUT', headers: without, body })).status).toBe(400);
    expect(await readdir(guest.work)).not.toContain('cut');
    expect(await partials(guest.work)).toEqual([]);
  });
  test('a directory as target is a 422 that arrives, however much is sent', async () => {
    await mkdir(join(guest.work, 'folder'));
    const value = Buffer.alloc(20 * bytesPerMb);
    expect((await send('/filesystem/folder', [{ name: 'file', value, fileName: 'n' }])).status).toBe(422);
  });
  test('R-33 a caller that leaves in the middle leaves no partial file and the old contents', async () => {
    await writeFile(join(guest.work, 'broken'), 'old');
    const { headers, body } = formOf([{ name: 'file', value: bytes, fileName: 'n' }]);
    await new Promise<void>((resolve) => {
      const sent = request(`${guest.url}/filesystem/broken`, {
        method: 'PUT',
        headers: { ...headers, 'content-length': String(body.length) },
      });
      sent.on('error', () => resolve());
      sent.write(body.subarray(0, bytesPerMb));
      void expect
        .poll(() => partials(guest.work))
        .toHaveLength(1)
        .then(() => sent.destroy());
    });
    await expect.poll(() => partials(guest.work)).toEqual([]);
    expect(await readFile(join(guest.work, 'broken'), 'utf8')).toBe('old');
  });
});

describe('PUT of a tree', () => {
  test('files and folders are made, others stay, and the directory is the answer', async () => {
    const root = join(guest.work, 'tree-root');
    await mkdir(root);
    await writeFile(join(root, 'kept'), '');
    const answer = await guest.put(`/filesystem/tree${root}`, { files: { 'a.txt': 'A', 'b/c/d.txt': 'D', '/e': 'E' } });
    expect(answer.status).toBe(200);
    expect(answer.json.path).toBe(root);
    expect(answer.json.files.map((file: { name: string }) => file.name)).toEqual(['a.txt', 'e', 'kept']);
    expect(answer.json.subdirectories).toEqual([{ path: `${root}/b`, name: 'b' }]);
    expect(await readFile(join(root, 'b/c/d.txt'), 'utf8')).toBe('D');
    expect([await modeOf(join(root, 'b')), await modeOf(join(root, 'a.txt'))]).toEqual(['755', '644']);
  });
  test('no files make an empty directory', async () => {
    const answer = await guest.put(`/filesystem/tree${guest.work}/fresh/deep`, {});
    expect([answer.status, answer.json.files]).toEqual([200, []]);
  });
  test.each(['../out', 'a/../../out', '', '.', 'x/', 'a\0b'])(
    'a name %j that is no file below is a 400',
    async (name) =>
      expect((await guest.put(`/filesystem/tree${guest.work}/guard`, { files: { ok: '', [name]: '' } })).status).toBe(
        400,
      ),
  );
  test('bad JSON is a 400, a refusal of the system a 422', async () => {
    expect((await guest.put(`/filesystem/tree${guest.work}/t`, '{')).status).toBe(400);
    expect((await guest.put(`/filesystem/tree${guest.work}/t`, { files: { a: 1 } })).status).toBe(400);
    await writeFile(join(guest.work, 'obstacle'), '');
    expect((await guest.put(`/filesystem/tree${guest.work}/obstacle`, { files: {} })).status).toBe(422);
    expect((await guest.put(`/filesystem/tree${guest.work}/obstacle/x`, { files: {} })).status).toBe(422);
  });
});

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGuest, type TestGuest } from './test-guest.ts';

const owner = execFileSync('id', ['-un']).toString().trim();
const group = execFileSync('id', ['-gn']).toString().trim();

let guest: TestGuest;
beforeAll(async () => {
  guest = await startTestGuest();
  await writeFile(join(guest.work, 'a.txt'), 'hello', { mode: 0o640 });
  await mkdir(join(guest.work, 'src'));
  await writeFile(join(guest.work, 'src/b.txt'), 'nested');
  await writeFile(join(guest.home, 'c.txt'), 'at home');
});
afterAll(() => guest[Symbol.asyncDispose]());

describe('wire check 1: the forms of a path', () => {
  const forms = (work: string): Array<[string, string]> => [
    ['/filesystem/a.txt', 'hello'],
    ['/filesystem/src/b.txt', 'nested'],
    ['/filesystem/src%2Fb.txt', 'nested'],
    [`/filesystem/${encodeURIComponent(`${work}/a.txt`)}`, 'hello'],
    [`/filesystem/${work}/a.txt`, 'hello'],
    [`/filesystem%2F${work.slice(1)}/a.txt`, 'hello'],
    ['/filesystem/~/c.txt', 'at home'],
  ];
  test.each([0, 1, 2, 3, 4, 5, 6])('GET of form %i reads the file', async (index) => {
    const [path, content] = forms(guest.work)[index] ?? ['', ''];
    const answer = await guest.ask(path);
    expect(answer.status).toBe(200);
    expect(answer.json.content).toBe(content);
  });
  test.each([0, 1, 2, 3, 4, 5, 6])('PUT of form %i writes the same file', async (index) => {
    const [path = ''] = forms(guest.work)[index]?.map((text) => text.replace(/\.txt$/, `-${index}.txt`)) ?? [];
    expect((await guest.put(path, { content: `written ${index}` })).status).toBe(200);
    expect((await guest.ask(path)).json.content).toBe(`written ${index}`);
  });
  test('the working directory and the home folder can be listed', async () => {
    expect((await guest.ask('/filesystem/')).json.path).toBe(guest.work);
    expect((await guest.ask('/filesystem')).json.path).toBe(guest.work);
    expect((await guest.ask('/filesystem/~')).json.path).toBe(guest.home);
  });
  test('a file whose name begins with tree is a file', async () => {
    await writeFile(join(guest.work, 'treehouse.txt'), 'wood');
    expect((await guest.ask('/filesystem/treehouse.txt')).json.content).toBe('wood');
  });
});

describe('a file as JSON', () => {
  test('it is described with its name, permissions, size, time, owner and group, and its path as asked for', async () => {
    await utimes(join(guest.work, 'a.txt'), 1_700_000_000.25, 1_700_000_000.25);
    const { json, headers } = await guest.ask('/filesystem/a.txt');
    expect(json).toEqual({
      path: 'a.txt',
      name: 'a.txt',
      permissions: '640',
      size: 5,
      lastModified: '2023-11-14T22:13:20.250Z',
      owner,
      group,
      content: 'hello',
    });
    expect(headers['content-length']).toBeDefined();
    expect(headers['cache-control'], 'R-38').toBe('no-cache, no-store, must-revalidate');
  });
  test('text of several megabytes, also across the pieces it is read in, arrives as it is', async () => {
    const text = 'aé€😀"\\\n\u0001'.repeat(200_000);
    await writeFile(join(guest.work, 'long.txt'), text);
    expect((await guest.ask('/filesystem/long.txt')).json.content === text).toBe(true);
  });
  test('bytes that are not UTF-8 are replaced, not refused', async () => {
    await writeFile(join(guest.work, 'raw'), Buffer.from([0x61, 0xff, 0x62]));
    expect((await guest.ask('/filesystem/raw')).json.content).toBe('a\ufffdb');
  });
  test('R-37 more than 32 MiB is a 413 that says to download', async () => {
    const path = join(guest.work, 'big');
    await writeFile(path, '');
    await truncate(path, 32 * bytesPerMb + 1);
    const answer = await guest.ask('/filesystem/big');
    expect(answer.status).toBe(413);
    expect(answer.json.error).toMatch(/download=true/);
    await writeFile(path, Buffer.alloc(32 * bytesPerMb, 'a'));
    expect((await guest.ask('/filesystem/big')).json.content.length).toBe(32 * bytesPerMb);
  });
  test('a link is followed, and a file of a year no date can hold is still described', async () => {
    await symlink('a.txt', join(guest.work, 'link'));
    expect((await guest.ask('/filesystem/link')).json).toMatchObject({ name: 'link', content: 'hello' });
    await writeFile(join(guest.work, 'future'), '');
    execFileSync('touch', ['-d', '@9999999999999', join(guest.work, 'future')]);
    expect((await guest.ask('/filesystem/future')).status).toBe(200);
    expect((await guest.ask('/filesystem/future?download=true')).status).toBe(200);
  });
  test.each([
    ['/filesystem/absent', 404],
    ['/filesystem/a.txt/absent', 404],
    [`/filesystem/${'x'.repeat(256)}`, 400],
    ['/filesystem/%ff', 400],
  ])('%s is a %i with a message', async (path, status) => {
    const answer = await guest.ask(path);
    expect(answer.status).toBe(status);
    expect(answer.json.error).toMatch(/\.$/);
  });
  test('links that lead in a circle are told as such', async () => {
    await symlink('round', join(guest.work, 'round'));
    const answer = await guest.ask('/filesystem/round');
    expect(answer.status).toBe(500);
    expect(answer.json.error).toMatch(/circle/);
  });
});

describe('a file as its bytes', () => {
  const bytes = randomBytes(3 * bytesPerMb + 17);
  const octets = { accept: 'application/octet-stream' };
  beforeAll(() => writeFile(join(guest.work, 'b.bin'), bytes));

  test('they are the same, with length, type, name and marks', async () => {
    const answer = await guest.ask('/filesystem/b.bin', { headers: octets });
    expect(answer.bytes.equals(bytes)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-length': String(bytes.length),
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="b.bin"',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^W\/"/),
      'last-modified': expect.stringMatching(/GMT$/),
      'cache-control': 'no-cache, no-store, must-revalidate',
    });
  });
  test('download=true and a type of its own give them, too', async () => {
    expect((await guest.ask('/filesystem/b.bin?download=true')).bytes.equals(bytes)).toBe(true);
    const text = await guest.ask('/filesystem/a.txt', { headers: { accept: 'text/plain' } });
    expect(text.bytes.toString()).toBe('hello');
    expect(text.headers['content-type']).toBe('text/plain');
  });
  test.each(['b.bin', 'a.txt'])('a range of %s is a 206 with that range', async (name) => {
    const whole = (await guest.ask(`/filesystem/${name}?download=true`)).bytes;
    const part = await guest.ask(`/filesystem/${name}?download=true`, { headers: { range: 'bytes=1-3' } });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe(`bytes 1-3/${whole.length}`);
    expect(part.bytes.equals(whole.subarray(1, 4))).toBe(true);
    const tail = await guest.ask(`/filesystem/${name}?download=true`, { headers: { range: 'bytes=-2' } });
    expect(tail.bytes.equals(whole.subarray(-2))).toBe(true);
  });
  test('a range beyond the end is a 416, what the caller has is a 304', async () => {
    const beyond = await guest.ask('/filesystem/a.txt', { headers: { ...octets, range: 'bytes=5-' } });
    expect([beyond.status, beyond.headers['content-range'], beyond.bytes.length]).toEqual([416, 'bytes */5', 0]);
    const { etag = '', 'last-modified': changed = '' } = (await guest.ask('/filesystem/a.txt', { headers: octets }))
      .headers;
    for (const headers of [{ 'if-none-match': etag }, { 'if-modified-since': changed }]) {
      const answer = await guest.ask('/filesystem/a.txt', { headers: { ...octets, ...headers } });
      expect([answer.status, answer.bytes.length]).toEqual([304, 0]);
    }
  });
  test('a changed file has another tag, and If-Range of the old date gives it whole', async () => {
    const path = join(guest.work, 'changing');
    await writeFile(path, 'first');
    await utimes(path, 1000, 1000);
    const before = (await guest.ask('/filesystem/changing', { headers: octets })).headers;
    await writeFile(path, 'other');
    const range = { ...octets, range: 'bytes=0-1', 'if-range': before['last-modified'] ?? '' };
    const after = await guest.ask('/filesystem/changing', { headers: range });
    expect([after.status, after.bytes.toString()]).toEqual([200, 'other']);
    expect(after.headers.etag).not.toBe(before.etag);
  });
  test.each([16 * 1024 - 1, 16 * 1024, 512 * 1024 - 1, 512 * 1024, 512 * 1024 + 1, 1024 * 1024])(
    '%i bytes, at the edge of a buffer, have their length and are whole',
    async (size) => {
      await writeFile(join(guest.work, 'edge'), bytes.subarray(0, size));
      const answer = await guest.ask('/filesystem/edge?download=true');
      expect(answer.headers['content-length']).toBe(String(size));
      expect(answer.bytes.equals(bytes.subarray(0, size))).toBe(true);
      expect((await guest.ask('/filesystem/edge', { method: 'HEAD' })).headers['content-length']).toBe(String(size));
    },
  );
  test('a download of an empty file is empty', async () => {
    await writeFile(join(guest.work, 'empty'), '');
    const answer = await guest.ask('/filesystem/empty?download=true');
    expect([answer.status, answer.headers['content-length']]).toEqual([200, '0']);
  });
  test('R-37 a file that shrinks while it is sent ends the connection instead of hanging', async () => {
    const path = join(guest.work, 'shrinking');
    await writeFile(path, '');
    await truncate(path, 512 * bytesPerMb);
    await expect(
      new Promise((resolve, reject) => {
        const sent = request(`${guest.url}/filesystem/shrinking?download=true`, (response) => {
          response.once('data', () => void truncate(path, 1000).then(() => response.resume()));
          response.pause();
          response.on('end', resolve).on('error', reject);
          response.resume();
        });
        sent.on('error', reject).end();
      }),
    ).rejects.toThrow(/aborted/);
  });
  test('a caller that leaves in the middle leaves no open file', async () => {
    const path = join(guest.work, 'left');
    await writeFile(path, '');
    await truncate(path, 256 * bytesPerMb);
    await new Promise<void>((resolve) => {
      const sent = request(`${guest.url}/filesystem/left?download=true`, (response) => {
        response.once('data', () => sent.destroy());
        response.on('close', resolve).on('error', () => undefined);
      });
      sent.on('error', () => undefined).end();
    });
    await expect.poll(() => openPathsOf(process.pid)).not.toContain(path);
  });
});

describe('U-28 HEAD tells what is there', () => {
  test('of a file: length, type, marks, no body', async () => {
    const answer = await guest.ask('/filesystem/a.txt', { method: 'HEAD' });
    expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
    expect(answer.headers).toMatchObject({ 'content-length': '5', 'content-type': 'text/plain' });
    expect(answer.headers.etag).toBeDefined();
  });
  test('of a directory: 200; of nothing: 404', async () => {
    expect((await guest.ask('/filesystem/src', { method: 'HEAD' })).status).toBe(200);
    expect((await guest.ask('/filesystem/absent', { method: 'HEAD' })).status).toBe(404);
    expect((await guest.ask(`/filesystem/tree${guest.work}`, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('the guest never waits for a file that is not a plain file', () => {
  test('a pipe without a writer is a 422 that says what it is', async () => {
    execFileSync('mkfifo', [join(guest.work, 'pipe')]);
    for (const path of ['/filesystem/pipe', '/filesystem/pipe?download=true']) {
      const answer = await guest.ask(path);
      expect([answer.status, answer.json.error]).toEqual([422, expect.stringMatching(/pipe/)]);
    }
  });
  test('a socket and a device are 422', async () => {
    const server = createServer().listen(join(guest.work, 'socket'));
    await expect.poll(() => server.listening).toBe(true);
    expect((await guest.ask('/filesystem/socket')).status).toBe(422);
    expect((await guest.ask('/filesystem//dev/zero')).status).toBe(422);
    expect((await guest.ask('/filesystem//dev/tty')).status).toBe(422);
    server.close();
  });
  test('files of /proc and /sys, whose size is wrong, are read whole', async () => {
    expect((await guest.ask('/filesystem//proc/self/status')).json.content).toMatch(/^Name:/);
    const status = await guest.ask('/filesystem//proc/self/status?download=true');
    expect(status.bytes.toString()).toMatch(/^Name:/);
    expect((await guest.ask('/filesystem//proc/self/status', { method: 'HEAD' })).status).toBe(200);
    const sys = await guest.ask('/filesystem//sys/kernel/mm/transparent_hugepage/enabled?download=true');
    if (sys.status === 200) expect(sys.bytes.length).toBe(Number(sys.headers['content-length']));
  });
});

describe('a directory', () => {
  test('R-35 an empty one has empty lists', async () => {
    await mkdir(join(guest.work, 'nothing'));
    expect((await guest.ask('/filesystem/nothing')).json).toEqual({
      path: 'nothing',
      name: 'nothing',
      files: [],
      subdirectories: [],
    });
    expect((await guest.ask(`/filesystem/tree${guest.work}/nothing?recursive=true`)).json.files).toEqual([]);
  });
  test('one level: files described, subdirectories named, in order', async () => {
    const path = join(guest.work, 'level');
    await mkdir(join(path, 'sub/deep'), { recursive: true });
    await writeFile(join(path, 'z'), '1');
    await writeFile(join(path, 'b'), '22', { mode: 0o600 });
    await chmod(join(path, 'b'), 0o4711);
    const { json } = await guest.ask('/filesystem/level');
    expect(json.files.map((file: { name: string }) => file.name)).toEqual(['b', 'z']);
    expect(json.files[0]).toMatchObject({ path: 'level/b', permissions: '4711', size: 2, owner });
    expect(json.subdirectories).toEqual([{ path: 'level/sub', name: 'sub' }]);
    expect((await guest.ask(`/filesystem/tree${path}`)).json.subdirectories).toEqual([
      { path: `${path}/sub`, name: 'sub' },
    ]);
  });
  test('U-03 recursive nests subdirectories with their files, to the depth asked for', async () => {
    const path = join(guest.work, 'nest');
    await mkdir(join(path, '1/2/3'), { recursive: true });
    await writeFile(join(path, '1/2/3/leaf'), 'x');
    const whole = (await guest.ask(`/filesystem/tree${path}?recursive=true`)).json;
    expect(whole.subdirectories[0].subdirectories[0].subdirectories[0].files[0]).toMatchObject({
      path: `${path}/1/2/3/leaf`,
      name: 'leaf',
    });
    const two = (await guest.ask(`/filesystem/tree${path}?recursive=true&depth=2`)).json;
    expect(two.subdirectories[0].subdirectories).toEqual([{ path: `${path}/1/2`, name: '2' }]);
    expect((await guest.ask(`/filesystem/tree${path}?recursive=true&depth=0`)).status).toBe(400);
    expect((await guest.ask(`/filesystem/tree${path}?recursive=true&depth=x`)).status).toBe(400);
  });
  test('links are described, not followed: a dangling one and one in a circle are files', async () => {
    const path = join(guest.work, 'links');
    await mkdir(path);
    await symlink('/nowhere', join(path, 'dangling'));
    await symlink('.', join(path, 'round'));
    const { json } = await guest.ask(`/filesystem/tree${path}?recursive=true`);
    expect(json.files.map((file: { name: string }) => file.name)).toEqual(['dangling', 'round']);
    expect(json.files[0].permissions).toBe('777');
  });
  test('a tree path that is no directory is a 400', async () => {
    expect((await guest.ask(`/filesystem/tree${guest.work}/absent`)).status).toBe(400);
    expect((await guest.ask(`/filesystem/tree${guest.work}/a.txt`)).status).toBe(400);
    expect((await guest.ask(`/filesystem/tree%2F${guest.work.slice(1)}`)).status).toBe(200);
    expect((await guest.ask('/filesystem/tree')).json.path).toBe('/');
  });
  test('R-36 entries that come and go never fail a listing', async () => {
    const path = join(guest.work, 'busy');
    await mkdir(path);
    let isOver = false;
    const churn = (async () => {
      for (let round = 0; !isOver && round < 100_000; round += 1) {
        const name = join(path, `n${round % 50}`);
        await writeFile(name, 'x');
        if (round % 3 === 0) await rename(name, `${name}-moved`);
        else await rm(name);
        if (round % 7 === 0) await mkdir(`${name}-dir`, { recursive: true });
        if (round % 11 === 0) await rm(`${name}-dir`, { recursive: true, force: true });
      }
    })();
    for (let round = 0; round < 100; round += 1) {
      const listing = await guest.ask(`/filesystem/tree${path}?recursive=true`);
      expect(listing.status).toBe(200);
    }
    isOver = true;
    await churn;
  });
  test('5 000 entries are listed whole', async () => {
    const path = join(guest.work, 'wide');
    await mkdir(path);
    for (let at = 0; at < 5_000; at += 100) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => (await open(join(path, `f${at + index}`), 'w')).close()),
      );
    }
    expect((await guest.ask('/filesystem/wide')).json.files).toHaveLength(5_000);
  });
});

async function openPathsOf(pid: number): Promise<string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`);
  return Promise.all(descriptors.map((number) => readlink(`/proc/${pid}/fd/${number}`).catch(() => '')));
}

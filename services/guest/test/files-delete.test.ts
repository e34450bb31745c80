import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../tests/harness/size.ts';
import { startTestGuest, type TestGuest } from './test-guest.ts';

// Runs in a separate process: it must be as fast as the deletion.
const swapping = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
  const [tree, outside] = process.argv.slice(1);
  const attempt = (work) => { try { work(); } catch {} };
  for (;;) {
    attempt(() => renameSync(tree + '/swap', tree + '/aside'));
    attempt(() => symlinkSync(outside, tree + '/swap'));
    attempt(() => unlinkSync(tree + '/swap'));
    attempt(() => renameSync(tree + '/aside', tree + '/swap'));
  }
`;

let guest: TestGuest;
beforeAll(async () => {
  guest = await startTestGuest();
});
afterAll(() => guest[Symbol.asyncDispose]());

const remove = (path: string) => guest.ask(path, { method: 'DELETE' });

describe('DELETE of a path', () => {
  test('a file, an empty directory, a link but not what it names', async () => {
    await writeFile(join(guest.work, 'file'), '');
    await mkdir(join(guest.work, 'empty'));
    await mkdir(join(guest.work, 'kept'));
    await writeFile(join(guest.work, 'kept/inside'), 'still here');
    await symlink('kept', join(guest.work, 'link'));
    for (const name of ['file', 'empty', 'link?recursive=true']) {
      const answer = await remove(`/filesystem/${name}`);
      expect([answer.status, answer.json]).toEqual([
        200,
        { path: name.split('?')[0], message: expect.stringMatching(/success/) },
      ]);
    }
    expect(await readdir(guest.work)).toEqual(['kept']);
    expect(await readFile(join(guest.work, 'kept/inside'), 'utf8')).toBe('still here');
  });
  test('a directory with something in it is a 422 that names the flag, and goes with it', async () => {
    await mkdir(join(guest.work, 'full/deep/deeper'), { recursive: true });
    await writeFile(join(guest.work, 'full/deep/x'), '');
    for (const flag of ['', '?recursive=false']) {
      const refused = await remove(`/filesystem/full${flag}`);
      expect([refused.status, refused.json.error]).toEqual([422, expect.stringMatching(/recursive=true/)]);
    }
    expect((await remove('/filesystem/full?recursive=true')).status).toBe(200);
    expect(await readdir(guest.work)).not.toContain('full');
  });
  test('a missing file is a 404, the root a 422', async () => {
    expect((await remove('/filesystem/absent')).status).toBe(404);
    expect((await remove('/filesystem/absent?recursive=true')).status).toBe(404);
    expect((await remove('/filesystem/%2F?recursive=true')).status).toBe(422);
  });
});

describe('DELETE of a tree', () => {
  test('it goes with its contents when asked; missing or not empty is a 422', async () => {
    await mkdir(join(guest.work, 'tree/sub'), { recursive: true });
    expect((await remove(`/filesystem/tree${guest.work}/tree`)).status).toBe(422);
    const answer = await remove(`/filesystem/tree${guest.work}/tree?recursive=true`);
    expect([answer.status, answer.json.path]).toEqual([200, `${guest.work}/tree`]);
    expect((await remove(`/filesystem/tree${guest.work}/tree?recursive=true`)).status).toBe(422);
  });
});

describe('a tree that changes while it is deleted', () => {
  test('a directory swapped for a link never leads the deletion out of the tree', async () => {
    const outside = join(guest.work, 'outside');
    const tree = join(guest.work, 'victim');
    const treasures = Array.from({ length: 300 }, (_, index) => `t${index}`);
    await mkdir(outside);
    for (const name of treasures) await writeFile(join(outside, name), 'x');
    const attacker = spawn(process.execPath, ['-e', swapping, tree, outside], { stdio: 'ignore' });
    try {
      for (let round = 0; round < (isFull ? 25 : 10); round += 1) {
        const staging = join(guest.work, 'staging');
        await mkdir(join(staging, 'swap'), { recursive: true });
        for (const name of treasures) await writeFile(join(staging, 'swap', name), '');
        await rename(staging, tree).catch(() => undefined);
        const answer = await remove('/filesystem/victim?recursive=true');
        expect([200, 404, 422]).toContain(answer.status);
      }
    } finally {
      attacker.kill('SIGKILL');
    }
    expect((await readdir(outside)).sort()).toEqual(treasures.sort());
  });
  test('two deletions of one tree: both end, and it is gone', async () => {
    await mkdir(join(guest.work, 'twice/a/b/c'), { recursive: true });
    for (let index = 0; index < 200; index += 1) await writeFile(join(guest.work, 'twice/a/b', `f${index}`), '');
    const answers = await Promise.all([
      remove('/filesystem/twice?recursive=true'),
      remove('/filesystem/twice?recursive=true'),
    ]);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    expect(await readdir(guest.work)).not.toContain('twice');
  });
  test('files that keep appearing end in a 422 or a success, never in a hang', async () => {
    await mkdir(join(guest.work, 'growing'));
    let isOver = false;
    const writer = (async () => {
      for (let turn = 0; !isOver && turn < 100_000; turn += 1) {
        await writeFile(join(guest.work, 'growing', `g${turn}`), '').catch(() => undefined);
      }
    })();
    const answer = await remove('/filesystem/growing?recursive=true');
    isOver = true;
    await writer;
    expect([200, 422]).toContain(answer.status);
  });
  test('a tree of 300 levels is deleted', async () => {
    await mkdir(join(guest.work, 'deep', ...Array.from({ length: 300 }, () => 'd')), { recursive: true });
    expect((await remove('/filesystem/deep?recursive=true')).status).toBe(200);
  });
});

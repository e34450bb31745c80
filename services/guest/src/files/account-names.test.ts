import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountNames } from './account-names.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-accounts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('ids become names, the first name of an id wins, and an unknown id stays a number', async () => {
  await writeFile(join(folder, 'passwd'), 'root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\nbroken\nbad:x:abc:1\n');
  await writeFile(join(folder, 'group'), 'wheel:x:0:\n');
  const names = await accountNames(folder);
  expect([names.owner(0), names.owner(7), names.group(0), names.group(7)]).toEqual(['root', '7', 'wheel', '7']);
});

test('a changed account file is read again', async () => {
  await writeFile(join(folder, 'passwd'), 'admin:x:0:0::/root:/bin/sh\n');
  await utimes(join(folder, 'passwd'), 1, 1);
  expect((await accountNames(folder)).owner(0)).toBe('admin');
});

test('a missing account file, or a pipe in its place, leaves ids as numbers without waiting', async () => {
  await rm(join(folder, 'passwd'));
  expect((await accountNames(folder)).owner(0)).toBe('0');
  execFileSync('mkfifo', [join(folder, 'passwd')]);
  expect((await accountNames(folder)).owner(0)).toBe('0');
});

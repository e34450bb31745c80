import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chooseShell } from './choose-shell.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'choose-shell-'));
  await writeFile(join(folder, 'fish'), '');
  await chmod(join(folder, 'fish'), 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the requested shell comes first, by path or by name', () => {
  expect(chooseShell(join(folder, 'fish'), {})).toBe(join(folder, 'fish'));
  expect(chooseShell('fish', { PATH: `/nowhere:${folder}` })).toBe('fish');
});

it('without a requested shell, SHELL comes first, then the shells of the image', () => {
  expect(chooseShell(undefined, { SHELL: join(folder, 'fish') })).toBe(join(folder, 'fish'));
  expect(chooseShell(undefined, { SHELL: '/no/such' })).toMatch(/^\/bin\/(zsh|bash|sh|ash)$/);
});

it('a requested shell that does not exist is an error and is not replaced', () => {
  expect(() => chooseShell('/no/such', {})).toThrow(/no program \/no\/such/);
});

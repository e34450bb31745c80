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

it('the shell asked for comes first, by path or by name', () => {
  expect(chooseShell(join(folder, 'fish'), {})).toBe(join(folder, 'fish'));
  expect(chooseShell('fish', { PATH: `/nowhere:${folder}` })).toBe('fish');
});

it('then that of the environment, then what the image has', () => {
  expect(chooseShell(undefined, { SHELL: join(folder, 'fish') })).toBe(join(folder, 'fish'));
  expect(chooseShell(undefined, { SHELL: '/no/such' })).toMatch(/^\/bin\/(zsh|bash|sh|ash)$/);
});

it('one that is asked for and not there is told, not replaced', () => {
  expect(() => chooseShell('/no/such', {})).toThrow(/no program \/no\/such/);
});

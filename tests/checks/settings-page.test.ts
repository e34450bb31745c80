import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { allSettings, settingsPage } from '@berth/server';
import { expect, test } from 'vitest';

test('docs/operations/settings.md lists exactly the settings of the code (pnpm settings writes it)', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../docs/operations/settings.md'), 'utf8');
  expect(page).toBe(settingsPage());
});

test('every setting has a description', () => {
  expect(allSettings().filter(({ reason }) => reason === '')).toEqual([]);
});

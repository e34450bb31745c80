import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorsPage, errorTables } from '@berth/api';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

test('docs/errors.md lists exactly the errors of the code (pnpm errors writes it)', async () => {
  expect(await readFile(resolve(root, 'docs/errors.md'), 'utf8')).toBe(errorsPage());
});

test('every table of errors is in the list, and a code means one thing', () => {
  const files = execFileSync('git', ['grep', '-l', 'defineErrors({', '--', '*.ts', ':!*.test.ts', ':!tests'], {
    cwd: root,
  }).toString();
  const tables = execFileSync('git', ['grep', '-h', '-c', 'defineErrors({', '--', ...files.trim().split('\n')], {
    cwd: root,
  }).toString();
  const declared = tables
    .trim()
    .split('\n')
    .reduce((sum, count) => sum + Number(count), 0);
  expect(errorTables).toHaveLength(declared);
  const codes = errorTables.flatMap(({ table }) => Object.keys(table));
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
});

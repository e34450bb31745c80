import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');

const manifests = ['package.json', ...globSync('{packages,services,clients}/*/package.json', { cwd: root })].map(
  (path) => ({
    path,
    manifest: JSON.parse(read(path)),
  }),
);

const declared = manifests.flatMap(({ path, manifest }) =>
  Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).map(([name, version]) => ({
    path,
    name,
    version,
  })),
);
const ours = new Set<string>(manifests.map(({ manifest }) => manifest.name));
const foreign = declared.filter(({ name }) => !ours.has(name));
const rows = [...read('DEPENDENCIES.md').matchAll(/^\| `(.+?)` \|(.+)\|$/gm)];

test('every dependency has a line in DEPENDENCIES.md, and every line a dependency', () => {
  const names = [...new Set(foreign.map(({ name }) => name))].sort();
  expect(rows.map(([, name]) => name).sort()).toEqual(names);
});

test('every line says what for, what others run, and why this one', () => {
  for (const [line, , cells = ''] of rows) {
    const filled = cells
      .split('|')
      .map((cell) => cell.trim())
      .filter(Boolean);
    expect(filled, line).toHaveLength(3);
  }
});

test('versions live in the catalogue alone, and are exact', () => {
  const { catalog } = parse(read('pnpm-workspace.yaml'));
  for (const { path, name, version } of foreign) expect(`${path} ${name} ${version}`).toBe(`${path} ${name} catalog:`);
  for (const [name, version] of Object.entries(catalog))
    expect(`${name} ${version}`).toMatch(/ \d+\.\d+\.\d+(-[\w.]+)?$/);
});

test('our own packages are linked, never fetched', () => {
  for (const { name, version } of declared) if (ours.has(name)) expect([name, version]).toEqual([name, 'workspace:*']);
});

test('an example has exact versions, which are those of the catalogue for packages of npm', () => {
  const { catalog } = parse(read('pnpm-workspace.yaml'));
  const npm = globSync('examples/*/package.json', { cwd: root }).map((path) => JSON.parse(read(path)).dependencies);
  for (const [name, version] of npm.flatMap(Object.entries)) expect([name, version]).toEqual([name, catalog[name]]);
  const pip = globSync('examples/*/requirements.txt', { cwd: root }).flatMap((path) => read(path).trim().split('\n'));
  for (const line of pip) expect(line).toMatch(/^[\w-]+(\[[\w,]+\])?==\d+\.\d+\.\d+$/);
  expect(Math.min(npm.length, pip.length)).toBeGreaterThan(0);
});

// The version of the repository is in its package.json. Packages and clients have the same, because they are released together.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const versionIn = (path: string): string => JSON.parse(readFileSync(path, 'utf8')).version;
const manifests = globSync('{packages,services,clients}/*/package.json');

test('every package and client has the version of the repository', () => {
  const version = versionIn('package.json');
  expect(manifests.length).toBeGreaterThan(15);
  for (const path of manifests) expect([path, versionIn(path)]).toEqual([path, version]);
  expect(readFileSync('clients/python/pyproject.toml', 'utf8')).toContain(`\nversion = "${version}"\n`);
});

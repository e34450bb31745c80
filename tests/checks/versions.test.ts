// The version of the repository is in its package.json. Packages, clients and the chart have the same, because they are released together.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const versionIn = (path: string): string => JSON.parse(readFileSync(path, 'utf8')).version;
const manifests = globSync('{packages,services,clients}/*/package.json');

test('every package, client and chart has the version of the repository', () => {
  const version = versionIn('package.json');
  expect(manifests.length).toBeGreaterThan(15);
  for (const path of manifests) expect([path, versionIn(path)]).toEqual([path, version]);
  const chart = readFileSync('deploy/helm/berth/Chart.yaml', 'utf8');
  expect(chart).toContain(`\nversion: ${version}\n`);
  expect(chart).toContain(`\nappVersion: "${version}"\n`);
  expect(readFileSync('clients/python/pyproject.toml', 'utf8')).toContain(`\nversion = "${version}"\n`);
});

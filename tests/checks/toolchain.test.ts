// The toolchain's Node.js runs CI and is mounted into every sandbox: a new upload under the same version range must not
// be picked up.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

const read = (name: string) => readFileSync(new URL(`../../.ci/toolchain/${name}`, import.meta.url), 'utf8');
const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
const { packages } = JSON.parse(read('package-lock.json')) as Lockfile;

test('the toolchain names exact versions, and the lockfile holds a hash for each package', () => {
  for (const [name, version] of Object.entries(dependencies))
    expect(packages[`node_modules/${name}`]).toMatchObject({ version, integrity: expect.stringMatching(/^sha512-/) });
  const installed = Object.entries(packages).filter(([folder]) => folder !== '');
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});

test('the toolchain is installed from its lockfile, without scripts of packages', () => {
  expect(read('activate').match(/npm (install|ci|exec|i) .*/g)).toEqual([
    expect.stringMatching(/^npm ci .*--ignore-scripts/),
  ]);
  expect(readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8')).not.toMatch(/\bnpm (install|ci|exec|i)\b/);
});

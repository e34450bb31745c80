// What a package imports is in its own package.json. In the clone an undeclared package of ours is found all the same, because
// the root declares every one; on a machine with the server alone it is not.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const name = String.raw`((?:@[\w-]+\/)?[\w-]+)(?:\/[^']*)?`;
const imported = new RegExp(`^(?:import|export) (?:[^'"\`;=]*? from )?'${name}'|\\bimport\\('${name}'\\)`, 'gm');

const packagesIn = (source: string): string[] =>
  [...source.matchAll(imported)].flatMap(([, plain, dynamic]) => plain ?? dynamic ?? []);

function undeclared(packageFile: string): string[] {
  const { name: own, dependencies = {} } = JSON.parse(readFileSync(packageFile, 'utf8'));
  const sources = globSync(join(dirname(packageFile), 'src/**/*.ts')).filter(
    (file) => !/(\.test|-fixture)\.ts$/.test(file),
  );
  const used = new Set(sources.flatMap((file) => packagesIn(readFileSync(file, 'utf8'))));
  return [...used].filter((each) => each !== own && !(each in dependencies)).toSorted();
}

const packages = globSync('{packages,services,clients}/*/package.json');

test.each(packages)('%s declares what its sources import', (file) => {
  expect(undeclared(file)).toEqual([]);
});

test('an import is found in each of its forms', () => {
  const source = [
    "import { a } from '@berth/contract';",
    "import {\n  b,\n} from 'zod/mini';",
    "import 'reflect-metadata';",
    "export type { C } from '@berth/wire/config';",
    "const later = () => import('pino');",
    "import { join } from 'node:path';",
    "import { d } from './own.ts';",
    'const text = "from \'nothing\'";',
  ].join('\n');
  expect(packagesIn(source)).toEqual(['@berth/contract', 'zod', 'reflect-metadata', '@berth/wire', 'pino']);
  expect(packages.length).toBeGreaterThan(15);
});

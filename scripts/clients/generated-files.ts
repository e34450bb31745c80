// The generated files of the clients, by path from the root of the repository.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { defaultBrand, openApiDocument } from '@berth/contract';
import { guestApiDocument } from '@berth/contract/guest';
import { exitCodeMeanings } from '../../clients/cli/src/exit-codes.ts';
import { commands } from '../../clients/cli/src/registry.ts';
import { calledOperations } from './called-operations.ts';
import { cliPage } from './reference/cli-page.ts';
import { pythonPage } from './reference/python-page.ts';
import { typescriptPage } from './reference/typescript-page.ts';
import { declaredTypes } from './type-model.ts';
import { pythonOperations, pythonTypes, synchronous } from './write-python.ts';
import { typescriptOperations, typescriptTypes } from './write-typescript.ts';

const typescript = 'clients/typescript/src';
const python = 'clients/python/src/berth_sdk';
const pythonTests = 'clients/python/tests';
const reference = 'docs/reference';
const root = resolve(import.meta.dirname, '../..');
const example = 'https://api.example';

export function generatedFiles(
  management = openApiDocument({ brand: defaultBrand, baseUrl: `${example}/v0`, apiUrl: example, gatewayUrl: example }),
  guest = guestApiDocument('1.0.0'),
): Readonly<Record<string, string>> {
  const [ofManagement, ofGuest] = [declaredTypes(management), declaredTypes(guest)];
  const operations = calledOperations(management.paths);
  const methods = pythonOperations(operations);
  const synchronousSources = synchronousFiles({ ...asynchronousSources(), 'operations.py': methods });
  const generated = {
    [`${typescript}/generated/management.ts`]: typescriptTypes('management API', ofManagement),
    [`${typescript}/generated/guest.ts`]: typescriptTypes('API inside a sandbox', ofGuest),
    [`${typescript}/generated/operations.ts`]: typescriptOperations(operations),
  };
  return {
    ...synchronousSources,
    ...generated,
    [`${pythonTests}/story_sync.py`]: synchronous(textOf(`${pythonTests}/story_async.py`)),
    [`${python}/_async/operations.py`]: methods,
    [`${python}/_generated/management.py`]: pythonTypes('management API', ofManagement),
    [`${python}/_generated/guest.py`]: pythonTypes('API inside a sandbox', ofGuest),
    [`${reference}/cli.md`]: cliPage(commands, exitCodeMeanings),
    [`${reference}/typescript.md`]: typescriptPage({
      ...sourcesBelow(typescript, '**/*.ts'),
      ...below(typescript, generated),
    }),
    [`${reference}/python.md`]: pythonPage(
      byModule({ ...sourcesBelow(`${python}/_core`, '{errors,output}.py'), ...synchronousSources }),
      textOf(`${python}/__init__.py`),
    ),
  };
}

const textOf = (path: string): string => readFileSync(resolve(root, path), 'utf8');

const sourcesBelow = (folder: string, pattern: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    globSync(pattern, { cwd: resolve(root, folder), exclude: ['**/*.test.ts', 'generated/**'] })
      .toSorted()
      .map((path) => [path, textOf(`${folder}/${path}`)]),
  );

/** By path below the folder. */
const below = (folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [relative(folder, path), text]));

const byModule = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [basename(path, '.py'), text]));

/** Written by hand; the synchronous client is made from them. */
function asynchronousSources(): Readonly<Record<string, string>> {
  const folder = resolve(root, python, '_async');
  const names = readdirSync(folder).filter(
    (name) => name.endsWith('.py') && name !== 'operations.py' && name !== '__init__.py',
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(resolve(folder, name), 'utf8')]));
}

const synchronousFiles = (sources: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(sources).map(([name, text]) => [`${python}/_sync/${name}`, synchronous(text)]));

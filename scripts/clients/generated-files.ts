// The generated files of the clients, by path from the root of the repository.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultBrand, openApiDocument } from '@berth/contract';
import { guestApiDocument } from '@berth/contract/guest';
import { calledOperations } from './called-operations.ts';
import { declaredTypes } from './type-model.ts';
import { pythonOperations, pythonTypes, synchronous } from './write-python.ts';
import { typescriptOperations, typescriptTypes } from './write-typescript.ts';

const typescript = 'clients/typescript/src/generated';
const python = 'clients/python/src/berth_sdk';
const pythonTests = 'clients/python/tests';
const root = resolve(import.meta.dirname, '../..');
const example = 'https://api.example';

export function generatedFiles(
  management = openApiDocument({ brand: defaultBrand, baseUrl: `${example}/v0`, apiUrl: example, gatewayUrl: example }),
  guest = guestApiDocument('1.0.0'),
): Readonly<Record<string, string>> {
  const [ofManagement, ofGuest] = [declaredTypes(management), declaredTypes(guest)];
  const operations = calledOperations(management.paths);
  const methods = pythonOperations(operations);
  return {
    ...synchronousFiles({ ...asynchronousSources(), 'operations.py': methods }),
    [`${pythonTests}/story_sync.py`]: synchronous(readFileSync(resolve(root, pythonTests, 'story_async.py'), 'utf8')),
    [`${python}/_async/operations.py`]: methods,
    [`${python}/_generated/management.py`]: pythonTypes('management API', ofManagement),
    [`${python}/_generated/guest.py`]: pythonTypes('API inside a sandbox', ofGuest),
    [`${typescript}/management.ts`]: typescriptTypes('management API', ofManagement),
    [`${typescript}/guest.ts`]: typescriptTypes('API inside a sandbox', ofGuest),
    [`${typescript}/operations.ts`]: typescriptOperations(operations),
  };
}

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

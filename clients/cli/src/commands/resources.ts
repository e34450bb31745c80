// Commands that work on every kind of resource.
import { readFileSync } from 'node:fs';
import { ConflictError } from 'berth-sdk';
import { parseAllDocuments } from 'yaml';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import type { Column } from '../output/printer.ts';
import { kindOf, type Resource } from '../resources.ts';

const columns: readonly Column<Resource>[] = [
  { title: 'name', of: ({ metadata }) => metadata.name },
  { title: 'status', of: ({ status, state }) => (typeof state === 'string' ? state : status) },
  { title: 'created', of: ({ metadata }) => metadata.createdAt },
  { title: 'address', of: ({ metadata }) => metadata.url },
];

export const ls: Command = {
  name: 'ls',
  about: 'Lists resources of a kind',
  arguments: [{ name: 'kind' }],
  examples: ['berth ls sandboxes', 'berth ls agents -o json'],
  async run({ given, berth, printer }) {
    const kind = kindOf(given.argument('kind'));
    printer.list(await Array.fromAsync(kind.list(await berth())), columns);
  },
};

export const get: Command = {
  name: 'get',
  about: 'Shows one resource',
  arguments: [{ name: 'kind' }, { name: 'name' }],
  async run({ given, berth, printer }) {
    const found = await kindOf(given.argument('kind')).get(await berth(), given.argument('name'));
    printer.one(found, [
      ...columns,
      { title: 'last event', of: ({ events }) => events?.findLast(({ message }) => message !== undefined)?.message },
    ]);
  },
};

export const remove: Command = {
  name: 'delete',
  about: 'Deletes one resource',
  arguments: [{ name: 'kind' }, { name: 'name' }],
  async run({ given, berth, printer }) {
    printer.one(await kindOf(given.argument('kind')).delete(await berth(), given.argument('name')), columns);
  },
};

interface Applied {
  readonly kind: string;
  readonly name: string;
  readonly result: 'created' | 'changed';
}

export const apply: Command = {
  name: 'apply',
  about: 'Creates or changes the resources of a YAML file',
  options: { file: { about: 'the file; - for the input', value: 'path', short: 'f' } },
  examples: ['berth apply -f agents.yaml'],
  async run({ given, berth, printer }) {
    const path = given.text('file');
    if (path === undefined) throw new UsageError('Give the file with -f.');
    const api = await berth();
    const applied: Applied[] = [];
    for (const { kind: word, metadata, spec } of documentsIn(readFileSync(path === '-' ? 0 : path, 'utf8'))) {
      const kind = kindOf(word);
      const { name } = metadata;
      const result = await kind
        .create(api, { metadata, spec })
        .then(() => 'created' as const)
        .catch(async (error: unknown) => {
          if (!(error instanceof ConflictError)) throw error;
          await kind.update(api, name, { metadata, spec });
          return 'changed' as const;
        });
      printer.note(`${kind.title} ${name}: ${result}`);
      applied.push({ kind: kind.title, name, result });
    }
    printer.list(applied, [
      { title: 'kind', of: ({ kind }) => kind },
      { title: 'name', of: ({ name }) => name },
      { title: 'result', of: ({ result }) => result },
    ]);
  },
};

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

function documentsIn(text: string): Document[] {
  return parseAllDocuments(text).map((document, at) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw new UsageError(fault.message);
    const { kind, metadata, spec = {} }: Partial<Document> = document.toJS() ?? {};
    if (typeof kind === 'string' && typeof metadata?.name === 'string') return { kind, metadata, spec };
    throw new UsageError(`Document ${at + 1} of the file needs "kind" and "metadata.name".`);
  });
}

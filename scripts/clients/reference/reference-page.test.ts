import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../../clients/cli/src/registry.ts';
import { type Page, referencePage } from './reference-page.ts';

const page: Page = {
  title: 'A reference',
  language: 'ts',
  introduction: ['About it.'],
  sections: { a: 'First', b: 'Second' },
  declared: [
    { name: 'One', heading: 'type One', doc: '', part: 'a', members: [], text: 'type One = 1;' },
    {
      ...{ name: 'Two', heading: 'class Two', doc: 'It is two.', part: 'a' },
      members: [
        { signature: 'run(): void', doc: 'Runs it.' },
        { signature: '(url: string)', doc: '' },
      ],
    },
  ],
};

test('a page has classes before types, and the constructor first', () => {
  expect(referencePage(page)).toBe(
    [
      '# A reference\n\nWritten by `pnpm clients` from the sources.\n\nAbout it.\n',
      '## First\n\n### `class Two`\n\nIt is two.\n\n- `new Two(url: string)`\n- `run(): void`  \n  Runs it.\n',
      '### `type One`\n\n```ts\ntype One = 1;\n```\n\n## Second\n',
    ].join('\n'),
  );
});

test('a part of the sources without a section is refused', () => {
  expect(() => referencePage({ ...page, sections: { b: 'Second' } })).toThrow(
    'One is declared in "a", which has no section in A reference.',
  );
});

test.each(['typescript', 'python'])('every method and class of the %s client has a description', (name) => {
  const text = readFileSync(`docs/reference/${name}.md`, 'utf8');
  const methods = [...text.matchAll(/^- `(\w+)[<(].*`(.*)$/gm)];
  expect(methods.length).toBeGreaterThan(40);
  expect(methods.flatMap(([line, , rest]) => (rest === '  ' ? [] : [line]))).toEqual([]);
  expect([...text.matchAll(/^### `class .*`\n\n-.*$/gm)].map(([head]) => head)).toEqual([
    // Operations, below their own section.
    ...(name === 'python' ? [expect.stringMatching(/^### `class Berth`\n\n- `cancel_job_execution\(/)] : []),
  ]);
});

test('the page of the command line has every command with its options', () => {
  const text = readFileSync('docs/reference/cli.md', 'utf8');
  expect([...text.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(commands.map(({ name }) => name));
  for (const { options = {} } of commands)
    for (const option of Object.keys(options)) expect(text).toContain(`--${option}`);
});

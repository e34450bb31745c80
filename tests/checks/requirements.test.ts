import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { guestRequirements } from '../../services/guest/test/e2e/requirements.ts';
import { sandboxRequirements } from '../e2e/sandbox/requirements.ts';

const root = resolve(import.meta.dirname, '../..');
const numbers = (letter: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${letter}-${String(from + index).padStart(2, '0')}`);
// R-56 is left out: it is about images of development servers, and Berth ships none.
// R-57 is left out: the guest is a folder that the runner mounts, not an image.
const lists = [
  {
    of: 'the guest',
    requirements: guestRequirements,
    asked: [
      ...numbers('R', 1, 24),
      ...numbers('R', 30, 38),
      ...['R-50', 'R-53', 'R-54', 'R-55', 'R-58', 'R-59'],
      ...numbers('W', 1, 11),
      'W-16',
    ],
  },
  {
    of: 'sandboxes',
    requirements: sandboxRequirements,
    asked: [...numbers('R', 60, 63), 'R-65', 'R-66', ...numbers('W', 1, 15)],
  },
];

/** Source without comment lines: a commented-out test proves nothing. */
const codeIn = (source: string): string =>
  source
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .join('\n');

type Coverage = 'runs' | 'runs somewhere' | 'is left out' | 'is missing';

const indentOf = (line: string): number => line.search(/\S|$/);

/** Coverage of a call by the modifiers before its title. */
function coverageOf(head: string): Coverage {
  if (/^\s*x|\.(?:skip|todo|fails)\b/.test(head)) return 'is left out';
  return /\.(?:skipIf|runIf)\b/.test(head) ? 'runs somewhere' : 'runs';
}

/**
 * Coverage of the test whose title begins with `title`: by its own modifiers, by those of the groups around it, which
 * the formatter indents less, and by a call of `skip` within it. A quote inside a title is escaped with a backslash.
 */
function coverageIn(source: string, title: string): Coverage {
  const code = codeIn(source).replaceAll("\\'", "'");
  if (/\b(?:test|it|describe)[\w.]*\.only\b/.test(code)) return 'is left out';
  const at = new RegExp(`\\(\\s*['"\`](?:\\$\\{\\w+\\} )?${RegExp.escape(title)}`).exec(code)?.index;
  if (at === undefined) return 'is missing';
  const isCall = /^\s*x?(?:test|it|describe)\b/;
  const before = code.slice(0, at).split('\n');
  const from = before.findLastIndex((line) => isCall.test(line));
  const lines = code.split('\n');
  let indent = indentOf(lines[from] ?? '');
  const end = lines.findIndex((line, index) => index > from && indentOf(line) === indent && /^\s*\}/.test(line));
  const coverages = [coverageOf(before.slice(from).join('\n'))];
  if (/\bskip\(/.test(lines.slice(from, end + 1).join('\n'))) coverages.push('runs somewhere');
  for (let index = from - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    if (isCall.test(line)) coverages.push(coverageOf(line));
  }
  return coverages.find((each) => each === 'is left out') ?? coverages.find((each) => each !== 'runs') ?? 'runs';
}

test.each(lists)('every requirement of $of is shown by a test, and no other is listed', ({ requirements, asked }) => {
  expect(Object.keys(requirements).sort()).toEqual(asked.sort());
});

test.each(lists)(
  'every requirement of $of has a test that runs everywhere, and names none that does not run',
  ({ requirements }) => {
    const faults = Object.entries(requirements).flatMap(([number, shown]) => {
      const found = shown.map(([file, title]) => ({
        coverage: coverageIn(readFileSync(resolve(root, file), 'utf8'), title),
        words: `${number}: ${file}: ${title}`,
      }));
      const wrong = found.filter(({ coverage }) => coverage === 'is left out' || coverage === 'is missing');
      return [
        ...wrong.map(({ coverage, words }) => `${words} ${coverage}`),
        ...(found.some(({ coverage }) => coverage === 'runs') ? [] : [`${number}: no test of it runs everywhere`]),
      ];
    });
    expect(faults).toEqual([]);
  },
);

const title = 'R-01 it works';
const cases: readonly (readonly [Coverage, string])[] = [
  ['runs', `test('${title} well', () => {});`],
  ['runs', `test.each([\n  [1],\n])(\n  '${title} for %i',\n  () => {},\n);`],
  ['runs', `describe('all', () => {\n  test('${title}', () => {\n  });\n});`],
  ['is left out', `test.skip('${title}', () => {});`],
  ['is left out', `test.each([1]).skip('${title}', () => {});`],
  ['is left out', `test.todo('${title}');`],
  ['is left out', `xtest('${title}', () => {});`],
  ['is left out', `test('${title}', () => {});\ntest.only('another', () => {});`],
  [
    'is left out',
    `describe.skip('all', () => {\n  describe('some', () => {\n    test('${title}', () => {});\n  });\n});`,
  ],
  ['runs', `describe.skip('others', () => {\n  test('another', () => {});\n});\ntest('${title}', () => {});`],
  ['runs somewhere', `test.skipIf(isSlow)('${title}', () => {});`],
  ['runs somewhere', `describe.runIf(isRoot)('all', () => {\n  test('${title}', () => {});\n});`],
  ['runs somewhere', `test('${title}', ({ skip }) => {\n  skip('not here');\n});`],
  ['is missing', `// test('${title}', () => {});`],
  ['is missing', `test('also: ${title}', () => {});`],
];

test.each(cases)('it %s: %s', (coverage, source) => {
  expect(coverageIn(source, title)).toBe(coverage);
});

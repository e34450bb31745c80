import { expect, test } from 'vitest';
import { renderCounts, renderSummary } from './render-summary.ts';
import { readStatements } from './statements.ts';

const list = `
- {id: a.one, section: A, says: One holds., tests: ["a.one: it holds"]}
- {id: b.two, section: B, says: Two comes., waiting: nothing runs yet, topic: inference}
- {id: b.three, section: B, says: Three comes., waiting: no certificates yet, topic: tls}
- {id: b.four, section: B, says: Four comes., waiting: nothing runs yet, topic: inference}
- {id: c.five, section: C, says: Five., notAStatement: not shown}
`;

test('the summary counts, and lists each reason under the engine that it waits for', () => {
  expect(renderSummary(readStatements(list)).split('\n')).toEqual([
    '5 statements: 1 tested, 3 waiting, 1 not a statement',
    '',
    'waiting',
    '  inference (2)',
    '    b.two: Two comes. – nothing runs yet',
    '    b.four: Four comes. – nothing runs yet',
    '  tls (1)',
    '    b.three: Three comes. – no certificates yet',
    '',
    'not a statement',
    '  not shown (1)',
    '    c.five: Five.',
  ]);
});

test('the counts give how many are tested, and how many wait for what', () => {
  const statements = readStatements(list);
  expect(renderCounts(statements)).toBe('1 statements tested, 3 waiting (inference 2, tls 1)');
  expect(renderCounts(statements.slice(0, 1))).toBe('1 statements tested, 0 waiting');
});

test.each([
  ['a field that no statement has', '- {id: a, section: A, says: x, test: [y]}'],
  ['an empty list of tests', '- {id: a, section: A, says: x, tests: []}'],
  ['a statement without words', '- {id: a, section: A, notAStatement: x}'],
])('a list with %s is not read', (_what, text) => {
  expect(() => readStatements(text)).toThrow();
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { guestRequirements } from '../e2e/guest/requirements.ts';
import { sandboxRequirements } from '../e2e/sandbox/requirements.ts';

const root = resolve(import.meta.dirname, '../..');
const numbers = (letter: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${letter}-${String(from + index).padStart(2, '0')}`);
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

test.each(lists)('every requirement of $of is shown by a test, and no other is listed', ({ requirements, asked }) => {
  expect(Object.keys(requirements).sort()).toEqual(asked.sort());
});

test.each(lists)('every test that the list of $of names is there under that name', ({ requirements }) => {
  const missing = Object.entries(requirements).flatMap(([number, shown]) => {
    if (shown.length === 0) return [`${number}: nothing`];
    // A quote inside a title is written with a backslash in the source.
    const isThere = ([file, title]: readonly [string, string]) =>
      readFileSync(resolve(root, file), 'utf8').replaceAll("\\'", "'").includes(title);
    return shown.filter((one) => !isThere(one)).map(([file, title]) => `${number}: ${file}: ${title}`);
  });
  expect(missing).toEqual([]);
});

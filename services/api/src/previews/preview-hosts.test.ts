import fc from 'fast-check';
import { expect, test } from 'vitest';
import { previewId, previewLabels } from './preview-hosts.ts';

const word = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,47}[a-z0-9])?$/);
const names = fc.record({
  workspace: fc.record({ id: fc.uuid(), name: fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/) }),
  sandbox: word,
  preview: word,
});
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

test('every candidate is a valid DNS label, and every prefix has a candidate', () => {
  fc.assert(
    fc.property(
      names,
      fc.option(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,52}[a-z0-9])?$/), { nil: undefined }),
      (of, prefix) => {
        const labels = previewLabels(of, prefix);
        expect(labels.length).toBeGreaterThan(0);
        for (const each of labels) {
          expect(each).toMatch(label);
          if (prefix !== undefined) expect(each.startsWith(`${prefix}-`)).toBe(true);
        }
      },
    ),
  );
});

test('the same names give the same id, and other names give another id, even if their joined text is equal', () => {
  const of = (sandbox: string, preview: string) =>
    previewId({ workspace: { id: 'w', name: 'main' }, sandbox, preview });
  expect(of('a', 'b')).toBe(of('a', 'b'));
  expect(new Set([of('a', 'b'), of('b', 'a'), of('ab', ''), of('a-b', 'c'), of('a', 'b-c')]).size).toBe(5);
});

test('no label with a prefix equals an id', () => {
  fc.assert(fc.property(names, (of) => !previewId(of).includes('-')));
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainTriggerPath, possibleTriggerPaths, triggerPathFault } from './trigger-path.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-';
const segment = fc
  .string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 40 })
  .filter((text) => text !== '.' && text !== '..');
const reserved = ['agents', 'functions', 'sandboxes', 'models', 'jobs'];

test('one to four good segments are a path, unless the first is reserved', () => {
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const isReserved = reserved.includes(segments[0] ?? '') || segments[0]?.startsWith('-');
      expect(triggerPathFault(segments.join('/')) === undefined).toBe(!isReserved);
    }),
  );
});

test('a path is refused or stays the same in an address', () => {
  // Few characters, so that dots, slashes and escapes meet often.
  const text = fc.string({ unit: fc.constantFrom('a', '.', '/', '-', '%', '2', 'e', '?'), maxLength: 8 });
  let good = 0;
  fc.assert(
    fc.property(text, (path) => {
      if (triggerPathFault(path) !== undefined) return;
      good += 1;
      expect(new URL(`http://gateway/main/${path}`).pathname).toBe(`/main/${path}`);
    }),
    { numRuns: 500 },
  );
  expect(good).toBeGreaterThan(10);
});

test.each([
  ['', 'for example'],
  ['a//b', 'for example'],
  ['a/', 'for example'],
  ['//a', 'for example'],
  ['a/../b', 'for example'],
  ['.', 'for example'],
  ['a b', 'for example'],
  ['a?b', 'for example'],
  ['%61', 'for example'],
  ['a/b/c/d/e', 'at most 4 segments'],
  ['x'.repeat(201), 'at most 200 characters'],
  ['agents/a', '"agents" is reserved'],
  ['-/tasks', '"-" is reserved'],
])('%j is refused', (path, reason) => {
  expect(triggerPathFault(path)).toContain(reason);
});

test('one slash in front is removed, and no more', () => {
  expect(['/hooks/a', 'hooks/a', '//a'].map(plainTriggerPath)).toEqual(['hooks/a', 'hooks/a', '/a']);
});

test('the beginnings of a path that a trigger may have are told, shortest first', () => {
  expect(possibleTriggerPaths('hooks')).toEqual(['hooks']);
  expect(possibleTriggerPaths('a/b/c/d/e')).toEqual(['a', 'a/b', 'a/b/c', 'a/b/c/d']);
  expect(possibleTriggerPaths('hooks/')).toEqual(['hooks']);
  expect(possibleTriggerPaths('hooks/a%20b/c')).toEqual(['hooks']);
  expect(['', 'agents/a', '%61/b', '../a'].flatMap(possibleTriggerPaths)).toEqual([]);
});

import { expect, test } from 'vitest';
import { lineExpression } from './line-expression.ts';

test('an invalid regular expression is refused with its reason', () => {
  expect(() => lineExpression('(', true)).toThrow(/not a regular expression: .*Put/);
});

test('patterns of both dialects are accepted', () => {
  expect('éÉ'.match(lineExpression('\\p{Lu}', true))).toEqual(['É']);
  expect('a-b'.match(lineExpression('a\\-b', true))).toEqual(['a-b']);
  expect('A-B'.match(lineExpression('a\\-b', true))).toBeNull();
  expect('A-B'.match(lineExpression('a\\-b', false))).toEqual(['A-B']);
});

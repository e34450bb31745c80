import { expect, test } from 'vitest';
import { verdict } from './verdict.ts';

const passed = { ok: true, failures: [] };

test('a test that fails now and then is told with its count', () => {
  const rounds = [passed, { ok: false, failures: ['a', 'b'] }, { ok: false, failures: ['b'] }];
  expect(verdict(rounds)).toEqual(['failed 2 of 3: b', 'failed 1 of 3: a', '1 of 3 rounds without a failure']);
});

test('a round that ends with an error and names no test is a failure', () => {
  expect(verdict([passed, { ok: false, failures: [] }])).toEqual([
    'failed 1 of 2: the command itself',
    '1 of 2 rounds without a failure',
  ]);
});

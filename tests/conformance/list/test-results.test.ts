import { expect, test } from 'vitest';
import { readTestResults } from './test-results.ts';

const report = (...files: unknown[]) => JSON.stringify({ success: true, testResults: files });

test('each test is read with its title, its state and the group of its file', () => {
  const assertionResults = [
    { fullName: 'auth.a: b', status: 'passed' },
    { fullName: 'auth.c: d', status: 'skipped' },
  ];
  expect(readTestResults(report({ name: '/x/auth.test.ts', status: 'passed', assertionResults }))).toEqual({
    tests: [
      { title: 'auth.a: b', group: 'auth', status: 'passed' },
      { title: 'auth.c: d', group: 'auth', status: 'skipped' },
    ],
    brokenFiles: [],
  });
});

test('a file that could not be loaded is broken, one with a failed test is not', () => {
  const failed = { name: '/x/b.test.ts', status: 'failed', assertionResults: [{ fullName: 'b.x', status: 'failed' }] };
  const unloadable = { name: '/x/a.test.ts', status: 'failed', assertionResults: [] };
  expect(readTestResults(report(failed, unloadable)).brokenFiles).toEqual(['a.test.ts']);
});

test.each(['', '{', '{"testResults": []}'])('a missing or cut report is an error: %j', (text) => {
  expect(() => readTestResults(text)).toThrow();
});

import { expect, test } from 'vitest';
import { countFromSummary, countFromVitest, failuresFromVitest } from './count-tests.ts';

test('a report without failures counts what passed and what was skipped', () => {
  const report = JSON.stringify({ numPassedTests: 7, numFailedTests: 0, numPendingTests: 2, success: true });
  expect(countFromVitest(report)).toEqual({ passed: 7, failed: 0, skipped: 2 });
});

test('a run that failed outside its tests counts as a failure', () => {
  const report = JSON.stringify({ numPassedTests: 7, numFailedTests: 0, numPendingTests: 0, success: false });
  expect(countFromVitest(report)).toEqual({ passed: 7, failed: 1, skipped: 0 });
});

test.each(['', '{"numPassedTests": 3'])('a missing or cut report counts as a failure: %j', (report) => {
  expect(countFromVitest(report)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('the last summary line of a program wins', () => {
  expect(countFromSummary('1 passed, 0 failed\nmore\n12 passed, 3 failed, 4 skipped\n')).toEqual({
    passed: 12,
    failed: 3,
    skipped: 4,
  });
});

test('a program without a summary line counts as a failure', () => {
  expect(countFromSummary('all good, 4 passed\n')).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('each failed test is told in one line, and so is a file that could not be loaded', () => {
  const failed = { fullName: 'a b', status: 'failed', failureMessages: ['expected 1\n  to be 2'] };
  const testResults = [
    { name: 'x.test.ts', status: 'failed', assertionResults: [failed, { fullName: 'c', status: 'passed' }] },
    { name: 'y.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    { name: 'z.test.ts', status: 'passed', assertionResults: [] },
  ];
  expect(failuresFromVitest(JSON.stringify({ testResults }))).toEqual([
    'x.test.ts: a b: expected 1 to be 2',
    'y.test.ts: no such module',
  ]);
  expect(failuresFromVitest('')).toEqual([]);
});

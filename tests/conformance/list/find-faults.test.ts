import { expect, test } from 'vitest';
import { findFaults } from './find-faults.ts';
import type { Statement } from './statements.ts';
import type { RunResult } from './test-results.ts';
import { waitingTopics } from './topics.ts';

const proven: Statement = { id: 'drive.put', section: 'Drive', says: 'A drive is put.', tests: ['drive.put: it is'] };
const later: Statement = { id: 'tls', section: 'Intro', says: 'All is HTTPS.', waiting: 'no edge yet', topic: 'tls' };
const heading: Statement = { id: 'gap', section: 'Gaps', says: 'A heading.', notAStatement: 'heading' };
const good = [proven, later, heading];
const topics = { tls: true, inference: false };
const ran = (...tests: RunResult['tests']): RunResult => ({ tests, brokenFiles: [] });
const passed = { title: 'drive.put: it is', group: 'drive', status: 'passed' };

test('a list whose every statement has its proof, its reason or its excuse is right', () => {
  expect(findFaults(good, ran(passed), topics)).toEqual([]);
});

const { tests: _tests, ...unproven } = proven;
const { topic: _topic, ...untold } = later;

test.each<[string, readonly Statement[], RunResult, RegExp]>([
  ['says nothing about a statement', [...good, { ...unproven, id: 'bare' }], ran(passed), /^bare: has 0 of/],
  ['says two things about a statement', [{ ...proven, notAStatement: 'no' }], ran(passed), /^drive.put: has 2 of/],
  ['waits for something unknown', [proven, { ...later, topic: 'luck' }], ran(passed), /^tls: waits for luck/],
  [
    'waits for what is built',
    [proven, { ...later, topic: 'inference' }],
    ran(passed),
    /^tls: waits for inference, and/,
  ],
  ['waits for nothing that is named', [proven, untold], ran(passed), /^tls: waits for nothing/],
  ['gives a topic without waiting', [{ ...proven, topic: 'tls' }], ran(passed), /^drive.put: has a topic/],
  ['shows a part without waiting', [{ ...proven, partly: ['drive.put: it is'] }], ran(passed), /is shown partly/],
  [
    'shows a part by a test that does not exist',
    [{ ...proven }, { ...later, partly: ['x'] }],
    ran(passed),
    /^tls: its test/,
  ],
  ['names one statement twice', [proven, proven], ran(passed), /two statements have this id/],
  ['lists a test that does not exist', good, ran(), /does not exist: drive.put: it is$/],
  ['lists a test that failed', good, ran({ ...passed, status: 'failed' }), /is failed/],
  ['lists a test that was skipped', good, ran({ ...passed, status: 'skipped' }), /is skipped/],
  ['lists a test that is still to be written', good, ran({ ...passed, status: 'todo' }), /is todo/],
  ['leaves a test out', good, ran(passed, { ...passed, title: 'drive.more: x' }), /^No statement is proven by/],
  ['has a title twice', good, ran(passed, passed), /^Two tests have this title/],
  ['has a test in the file of another group', good, ran({ ...passed, group: 'volume' }), /its file, volume/],
  ['has a file that broke', good, { tests: [passed], brokenFiles: ['drive.test.ts'] }, /broke outside its tests/],
])('a list that %s is wrong, and says where', (_what, statements, result, fault) => {
  expect(findFaults(statements, result, topics)).toEqual([expect.stringMatching(fault)]);
});

test('no topic stays in the list when its engine is built', () => {
  expect(Object.entries(waitingTopics).filter(([, isMissing]) => !isMissing)).toEqual([]);
});

import { expect, test } from 'vitest';
import { judgeRun, type RunResult } from './judge-run.ts';

const answer = (status: number) => ({ status, body: Buffer.alloc(0), bytes: 0 });
const answered = (status: number): RunResult => ({ kind: 'answered', answer: answer(status) });
const lost: RunResult = { kind: 'lost', answer: answer(504), reason: 'late' };
const unsent = (isFinal: boolean): RunResult => ({ kind: 'unsent', answer: answer(503), reason: 'none', isFinal });
const abandoned: RunResult = { kind: 'abandoned' };
const hour = 3_600_000;
const judge = (result: RunResult, runs = 1, maxRuns = 1, ageMs = 0) => judgeRun(result, { runs, maxRuns, ageMs });
const ended = (status: string) => ({ kind: 'ended', status });

test.each([200, 204, 302, 399])('an answer with %i is a success, and is never repeated', (status) => {
  expect(judge(answered(status), 1, 5)).toEqual(ended('succeeded'));
});

test.each([400, 401, 404, 409, 422])('an answer with %i is a failure that a repetition would not change', (status) => {
  expect(judge(answered(status), 1, 5)).toEqual(ended('failed'));
});

test.each([408, 429, 500, 503])('an answer with %i is repeated as often as the trigger allows', (status) => {
  expect(judge(answered(status), 1, 3)).toEqual({ kind: 'again', pauseMs: 1_000 });
  expect(judge(answered(status), 2, 3)).toEqual({ kind: 'again', pauseMs: 4_000 });
  expect(judge(answered(status), 3, 3)).toEqual(ended('failed'));
});

test('a run without an answer is repeated likewise, and one whose process ended is unknown in the end', () => {
  expect([judge(lost, 1, 2), judge(abandoned, 1, 2)].map(({ kind }) => kind)).toEqual(['again', 'again']);
  expect([judge(lost), judge(abandoned)]).toEqual([ended('failed'), ended('unknown')]);
});

test('a pause is at most five minutes', () => {
  expect(judge(lost, 10, 11)).toEqual({ kind: 'again', pauseMs: 300_000 });
});

test('a call that reached no agent waits for one for an hour, however few runs it has', () => {
  expect(judge(unsent(false), 0, 1, hour - 1)).toEqual({ kind: 'again', pauseMs: 5_000 });
  expect(judge(unsent(false), 0, 1, hour)).toEqual(ended('failed'));
  expect(judge(unsent(true), 0, 5)).toEqual(ended('failed'));
});

import { expect, test } from 'vitest';
import { judgeTry } from './judge-try.ts';
import { maxAttempts } from './schedule.ts';

const judge = (result: Parameters<typeof judgeTry>[0], attempts: number) => judgeTry(result, attempts, () => 0);

test.each([200, 201, 202, 204, 299])('%i ends the delivery, whichever try it is', (status) => {
  for (const attempts of [1, maxAttempts]) expect(judge({ status }, attempts)).toEqual({ kind: 'delivered' });
});

test.each([100, 199, 300, 301, 307, 400, 401, 404, 429, 500, 503])(
  '%i is tried again, but not without an end',
  (status) => {
    expect(judge({ status }, 1)).toEqual({ kind: 'again', pauseMs: 5_000 });
    expect(judge({ status }, maxAttempts)).toEqual({ kind: 'given-up' });
  },
);

test('without an answer the delivery is tried again, but not without an end', () => {
  expect(judge({ error: 'The connection failed.' }, 2)).toEqual({ kind: 'again', pauseMs: 30_000 });
  expect(judge({ error: 'The connection failed.' }, maxAttempts)).toEqual({ kind: 'given-up' });
});

test('410 gives the delivery up at the first try', () => {
  expect(judge({ status: 410 }, 1)).toEqual({ kind: 'given-up' });
});

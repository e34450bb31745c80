import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Attempt, decide, firstAttempt, longRunMs, maxFailedStarts, type Observed, shortRunMs } from './decide.ts';

const observedArbitrary: fc.Arbitrary<Observed> = fc.record({
  status: fc.constantFrom('absent', 'created', 'running', 'paused', 'exited'),
  outOfMemory: fc.boolean(),
  hasNetwork: fc.boolean(),
  answeredMs: fc.option(fc.nat({ max: 2 * longRunMs }), { nil: undefined }),
  holdsFiles: fc.boolean(),
  isAwaited: fc.boolean(),
});
const attemptArbitrary: fc.Arbitrary<Attempt> = fc.record({
  starts: fc.nat({ max: 100 }),
  failedStarts: fc.nat({ max: maxFailedStarts - 1 }),
  restarts: fc.nat({ max: 100 }),
  hasAnswered: fc.boolean(),
  failure: fc.option(fc.constant({ code: 'crash_loop' as const, message: 'It ended.' }), { nil: undefined }),
});
const exited = (answeredMs: number | undefined, outOfMemory = false): Observed => ({
  status: 'exited',
  outOfMemory,
  hasNetwork: true,
  answeredMs,
  holdsFiles: false,
  isAwaited: false,
});

/** Applies the given ends in turn; returns the final step and the pauses before it. */
function live(ends: readonly Observed[], first: Attempt = firstAttempt) {
  let attempt = first;
  const pauses: number[] = [];
  for (const end of ends) {
    if (end.answeredMs !== undefined) attempt = { ...attempt, hasAnswered: true };
    const step = decide(true, end, attempt);
    if (step.do !== 'restart') return { verdict: step, pauses };
    pauses.push(step.afterMs);
    attempt = { ...attempt, failedStarts: step.failedStarts, restarts: step.restarts };
  }
  return { verdict: undefined, pauses };
}

test('an unwanted instance is removed in any state', () => {
  fc.assert(
    fc.property(observedArbitrary, attemptArbitrary, (observed, attempt) => {
      expect(decide(false, observed, attempt)).toEqual({ do: 'remove' });
    }),
  );
});

test('a wanted instance is never removed', () => {
  fc.assert(
    fc.property(observedArbitrary, attemptArbitrary, (observed, attempt) => {
      expect(decide(true, observed, attempt).do).not.toBe('remove');
    }),
  );
});

test('a failed instance is never started again', () => {
  fc.assert(
    fc.property(observedArbitrary, attemptArbitrary, (observed, attempt) => {
      const failure = { code: 'port_closed' as const, message: 'Nothing listens.' };
      expect(['stop', 'nothing']).toContain(decide(true, observed, { ...attempt, failure }).do);
    }),
  );
});

test('an instance that runs and answers is left alone', () => {
  fc.assert(
    fc.property(observedArbitrary, attemptArbitrary, fc.nat(), (observed, attempt, answeredMs) => {
      expect(decide(true, { ...observed, status: 'running', hasNetwork: true, answeredMs }, attempt).do).toBe(
        attempt.failure === undefined ? 'nothing' : 'stop',
      );
    }),
  );
});

test('the pause before a restart is at most half a minute, and zero before the first answer to an owner', () => {
  fc.assert(
    fc.property(observedArbitrary, attemptArbitrary, (observed, attempt) => {
      const step = decide(true, { ...observed, status: 'exited' }, attempt);
      if (step.do !== 'restart') return;
      expect(step.afterMs).toBeLessThanOrEqual(30_000);
      expect(step.failedStarts).toBeLessThan(maxFailedStarts);
      if (!attempt.hasAnswered || observed.isAwaited) expect(step.afterMs).toBe(0);
    }),
  );
});

test('exactly three consecutive failed starts fail an instance', () => {
  const failedEnd = fc.option(fc.nat({ max: shortRunMs - 1 }), { nil: undefined }).map((ms) => exited(ms));
  const goodEnd = fc.integer({ min: shortRunMs, max: 2 * longRunMs }).map((ms) => exited(ms));
  const fewThenGood = fc.tuple(fc.array(failedEnd, { maxLength: maxFailedStarts - 1 }), goodEnd);
  fc.assert(
    fc.property(fc.array(fewThenGood), fc.array(failedEnd, { minLength: 3, maxLength: 3 }), (before, last) => {
      const lived = before.flatMap(([failed, good]) => [...failed, good]);
      expect(live(lived).verdict).toBeUndefined();
      expect(live([...lived, ...last]).verdict).toMatchObject({ do: 'fail', code: 'crash_loop' });
    }),
  );
});

describe('restarts', () => {
  test('come after 1, 2, 4 … 30 seconds once the instance has answered', () => {
    const ends = Array.from({ length: 7 }, () => exited(shortRunMs));
    expect(live(ends).pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test('are soon again after a long run', () => {
    expect(live([exited(shortRunMs), exited(shortRunMs), exited(longRunMs), exited(shortRunMs)]).pauses).toEqual([
      1_000, 2_000, 1_000, 2_000,
    ]);
  });
});

describe('memory', () => {
  test('running out of it before the first answer fails the instance at once', () => {
    expect(live([exited(undefined, true)]).verdict).toMatchObject({ code: 'out_of_memory' });
  });

  test('running out of it later counts like any other end, and gives the failure code when it is the last', () => {
    expect(live([exited(5_000, true), exited(5_000, true), exited(5_000, true)]).verdict).toMatchObject({
      code: 'out_of_memory',
    });
    expect(live([exited(5_000, true), exited(5_000, true), exited(5_000)]).verdict).toMatchObject({
      code: 'crash_loop',
    });
    expect(live([exited(60_000, true), exited(60_000, true), exited(60_000, true)]).verdict).toBeUndefined();
  });
});

test('a container without its network is replaced', () => {
  const withoutNetwork = {
    outOfMemory: false,
    hasNetwork: false,
    answeredMs: undefined,
    holdsFiles: false,
    isAwaited: false,
  };
  expect(decide(true, { ...withoutNetwork, status: 'created' }, firstAttempt)).toEqual({ do: 'discard' });
  expect(decide(true, { ...withoutNetwork, status: 'running' }, firstAttempt)).toEqual({ do: 'discard' });
  expect(decide(true, { ...withoutNetwork, status: 'exited' }, firstAttempt)).toMatchObject({
    do: 'restart',
    isAnew: true,
  });
});

describe('a container with files of an owner', () => {
  const ownedArbitrary = observedArbitrary.map((observed) => ({ ...observed, holdsFiles: true }));

  test('is never created, replaced or discarded', () => {
    fc.assert(
      fc.property(ownedArbitrary, attemptArbitrary, (observed, attempt) => {
        const step = decide(true, observed, attempt);
        expect(['create', 'discard', 'remove']).not.toContain(step.do);
        if (step.do === 'restart') expect(step.isAnew).toBe(false);
      }),
    );
  });

  test('fails once it cannot be started again', () => {
    fc.assert(
      fc.property(ownedArbitrary, attemptArbitrary, (observed, attempt) => {
        const lost = { ...attempt, failure: undefined };
        const gone = { do: 'fail', isLost: true };
        expect(decide(true, { ...observed, hasNetwork: false }, lost)).toMatchObject(gone);
        expect(decide(true, { ...observed, status: 'absent' }, lost)).toMatchObject(gone);
      }),
    );
  });

  test('stays asleep', () => {
    fc.assert(
      fc.property(ownedArbitrary, attemptArbitrary, (observed, attempt) => {
        const step = decide(
          true,
          { ...observed, status: 'paused', hasNetwork: true },
          { ...attempt, failure: undefined },
        );
        expect(step.do).toBe(observed.answeredMs === undefined ? 'probe' : 'nothing');
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isExpired, mostSilences, nextStep, type SleepRules, type Step, tellEveryMs, unusedMs } from './next-step.ts';
import { after, type Happening, heldPauseMs, isInUse, newStanding, type Standing, silentPauseMs } from './standing.ts';

const rules: SleepRules = { idleMs: 15_000, expiresIdleMs: undefined };
const told = { is: 'told', isAwake: true, isExpired: false } as const;

function at(nowMs: number, ...happenings: Happening[]): Standing {
  return happenings.reduce((standing, each) => after(standing, each, nowMs), newStanding(0, 0));
}

describe('by example', () => {
  test('after a start of the runner it looks first, and leaves a frozen one asleep', () => {
    expect(nextStep(at(0), rules, 0)).toEqual({ do: 'look' });
    const asleep = after(at(0, { is: 'found', isFrozen: true }), { ...told, isAwake: false }, 0);
    expect(nextStep(asleep, rules, 1e9)).toEqual({ do: 'rest', untilMs: Number.POSITIVE_INFINITY });
  });

  test('after the idle time the guest is asked, and when it agrees it is frozen', () => {
    const awake = at(0, { is: 'found', isFrozen: false }, told);
    expect(nextStep(awake, rules, 14_999)).toEqual({ do: 'rest', untilMs: 15_000 });
    expect(nextStep(awake, rules, 15_000)).toEqual({ do: 'ask' });
    const agreed = after(awake, { is: 'consented', askedAtMs: 15_000 }, 15_001);
    expect(nextStep(agreed, rules, 15_001)).toEqual({ do: 'freeze' });
  });

  test('a keepAlive process keeps it awake, and for the idle time after it has ended', () => {
    const held = after(at(0, { is: 'found', isFrozen: false }, told), { is: 'held' }, 15_000);
    expect(nextStep(held, rules, 15_000)).toEqual({ do: 'rest', untilMs: 15_000 + heldPauseMs });
    const agreed = after(held, { is: 'consented', askedAtMs: 20_000 }, 20_000);
    expect(nextStep(agreed, rules, 20_000)).toEqual({ do: 'rest', untilMs: 30_000 });
    expect(nextStep(agreed, rules, 30_000)).toEqual({ do: 'ask' });
    expect(nextStep(after(agreed, { is: 'consented', askedAtMs: 30_000 }, 30_000), rules, 30_000)).toEqual({
      do: 'freeze',
    });
  });

  test('a guest that does not answer three times is frozen all the same', () => {
    let standing = at(0, { is: 'found', isFrozen: false }, told);
    for (let silence = 1; silence <= mostSilences; silence += 1) {
      const nowMs = 15_000 + silence * silentPauseMs;
      expect(nextStep(standing, rules, nowMs)).toEqual({ do: 'ask' });
      standing = after(standing, { is: 'silent' }, nowMs);
    }
    expect(nextStep(standing, rules, 30_000)).toEqual({ do: 'freeze' });
  });

  test('a lease without anybody who waits does not wake it, one who waits does', () => {
    const asleep = at(0, { is: 'found', isFrozen: true }, { ...told, isAwake: false }, { is: 'leases', count: 1 });
    expect(nextStep(asleep, rules, 1).do).toBe('rest');
    expect(nextStep(after(asleep, { is: 'openers', count: 1 }, 1), rules, 1)).toEqual({ do: 'thaw' });
  });

  test('what the guest said before somebody came counts for nothing', () => {
    const used = at(10, { is: 'found', isFrozen: false }, told, { is: 'leases', count: 1 }, { is: 'leases', count: 0 });
    const late = after(used, { is: 'consented', askedAtMs: 5 }, 11);
    expect(nextStep(late, rules, 10 + 15_000)).toEqual({ do: 'ask' });
  });

  test('a sleep that somebody asked for needs no consent of the guest, and no idle time', () => {
    const asked = at(0, { is: 'found', isFrozen: false }, told, { is: 'sleep asked' });
    expect(nextStep(asked, rules, 1)).toEqual({ do: 'freeze' });
    expect(nextStep(after(asked, { is: 'held' }, 1), rules, 1)).toEqual({ do: 'freeze' });
    expect(nextStep(after(asked, { is: 'leases', count: 1 }, 1), rules, 1).do).toBe('rest');
  });

  test('one that nobody uses for too long is told as expired, asleep or awake, once', () => {
    const expiring = { ...rules, expiresIdleMs: 60_000 };
    for (const isFrozen of [true, false]) {
      const standing = at(0, { is: 'found', isFrozen }, { ...told, isAwake: !isFrozen }, { is: 'held' });
      expect(nextStep(standing, expiring, 59_999).do).not.toBe('tell');
      expect(nextStep(standing, expiring, 60_000)).toEqual({ do: 'tell' });
      const known = after(standing, { is: 'told', isAwake: !isFrozen, isExpired: true }, 60_000);
      expect(nextStep(known, expiring, 60_001).do).not.toBe('tell');
      const used = after(known, { is: 'leases', count: 1 }, 60_002);
      expect(isExpired(used, expiring, 1e9)).toBe(false);
      expect(unusedMs(used, 1e9)).toBe(0);
    }
  });

  test('while somebody uses it that is told from time to time', () => {
    const used = after(at(0, { is: 'found', isFrozen: false }, told), { is: 'leases', count: 1 }, 10);
    expect(nextStep(used, rules, tellEveryMs - 1)).toEqual({ do: 'rest', untilMs: tellEveryMs });
    expect(nextStep(used, rules, tellEveryMs)).toEqual({ do: 'tell' });
  });
});

/** An event from outside, the result of the step in progress, or a passage of time. */
type Turn =
  | { readonly by: 'world'; readonly happening: Happening }
  | { readonly by: 'step'; readonly fails: boolean; readonly guest: 'agrees' | 'holds' | 'is silent' }
  | { readonly by: 'time'; readonly passesMs: number };

const turns: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({
    by: fc.constant('world' as const),
    happening: fc.oneof(
      fc.record({ is: fc.constant('leases' as const), count: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ is: fc.constant('openers' as const), count: fc.integer({ min: 0, max: 2 }) }),
      fc.constantFrom<Happening>({ is: 'released' }, { is: 'kept' }, { is: 'kept' }, { is: 'used' }),
      fc.constantFrom<Happening>({ is: 'sleep asked' }, { is: 'hurried' }),
    ),
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      by: fc.constant('step' as const),
      fails: fc.integer({ min: 0, max: 4 }).map((dice) => dice === 0),
      guest: fc.constantFrom('agrees' as const, 'agrees' as const, 'holds' as const, 'is silent' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ by: fc.constant('time' as const), passesMs: fc.integer({ min: 0, max: 20_000 }) }),
  },
);

/** Model of a sandbox with a real frozen state and the step in progress. */
class World {
  standing = newStanding(0, 0);
  nowMs = 0;
  isFrozen: boolean;
  doing: { readonly step: Exclude<Step['do'], 'rest' | 'tell'>; readonly atMs: number } | undefined;
  readonly rules: SleepRules = { idleMs: 10_000, expiresIdleMs: 45_000 };
  steps = 0;

  constructor(isFrozen: boolean) {
    this.isFrozen = isFrozen;
  }

  take(turn: Turn): void {
    if (turn.by === 'world') this.happen(turn.happening);
    if (turn.by === 'time') this.nowMs += turn.passesMs;
    if (turn.by === 'step') this.end(turn);
    this.begin();
  }

  happen(happening: Happening): void {
    this.standing = after(this.standing, happening, this.nowMs);
  }

  begin(): void {
    if (this.doing !== undefined) return;
    for (let tells = 0; tells < 3; tells += 1) {
      const step = nextStep(this.standing, this.rules, this.nowMs);
      if (step.do === 'rest') {
        expect(step.untilMs).toBeGreaterThan(this.nowMs);
        return;
      }
      this.steps += 1;
      if (step.do !== 'tell') {
        this.check(step.do);
        this.doing = { step: step.do, atMs: this.nowMs };
        return;
      }
      const hasExpired = isExpired(this.standing, this.rules, this.nowMs);
      if (hasExpired) expect(this.standing.leases).toBe(0);
      this.happen({ is: 'told', isAwake: this.standing.frozen === 'no', isExpired: hasExpired });
    }
    throw new Error('it tells without an end');
  }

  check(step: Step['do']): void {
    const { standing, nowMs, rules } = this;
    if (step === 'freeze') {
      expect(isInUse(standing)).toBe(false);
      expect(standing.frozen).toBe('no');
      const isForced = standing.isSleepAsked || standing.isHurried;
      if (!isForced) expect(unusedMs(standing, nowMs)).toBeGreaterThanOrEqual(rules.idleMs);
      if (!standing.isSleepAsked) expect(standing.mayFreeze || standing.silences >= mostSilences).toBe(true);
    }
    if (step === 'thaw') {
      expect(standing.openers > 0 || standing.isReleased).toBe(true);
      expect(standing.frozen).not.toBe('no');
    }
    // The believed state matches the real one.
    if (standing.frozen !== 'unsure') expect(standing.frozen === 'yes').toBe(this.isFrozen);
  }

  end({ fails, guest }: Extract<Turn, { by: 'step' }>): void {
    const { doing } = this;
    if (doing === undefined) return;
    this.doing = undefined;
    const { step, atMs } = doing;
    if (fails && step !== 'ask') {
      this.happen({ is: 'failed', pauseMs: 1_000 });
      return;
    }
    if (step === 'look') this.happen({ is: 'found', isFrozen: this.isFrozen });
    if (step === 'freeze' || step === 'thaw') {
      this.isFrozen = step === 'freeze';
      this.happen({ is: this.isFrozen ? 'frozen' : 'thawed' });
    }
    if (step === 'ask' && guest === 'agrees') this.happen({ is: 'consented', askedAtMs: atMs });
    if (step === 'ask' && guest === 'holds') this.happen({ is: 'held' });
    if (step === 'ask' && guest === 'is silent') this.happen({ is: 'silent' });
  }

  /** No more events from outside; every step succeeds. */
  settle(guest: 'agrees' | 'is silent' = 'agrees'): void {
    this.steps = 0;
    for (let round = 0; round < 200; round += 1) {
      this.end({ by: 'step', fails: false, guest });
      this.begin();
      if (this.doing === undefined) this.nowMs += 1_000;
    }
  }
}

const histories = fc.array(turns, { maxLength: 60 });

test('it never freezes under somebody, thaws only for somebody, and believes only what is so', () => {
  fc.assert(
    fc.property(fc.boolean(), histories, (isFrozen, history) => {
      const world = new World(isFrozen);
      for (const turn of history) world.take(turn);
    }),
    { numRuns: 2_000 },
  );
});

test('whatever happened, who waits is let in, and one that nobody uses falls asleep and is told so', () => {
  fc.assert(
    fc.property(fc.boolean(), histories, fc.boolean(), (isFrozen, history, isSilent) => {
      const world = new World(isFrozen);
      for (const turn of history) world.take(turn);
      world.happen({ is: 'openers', count: 1 });
      world.settle();
      expect(world.isFrozen).toBe(false);
      world.happen({ is: 'openers', count: 0 });
      world.happen({ is: 'leases', count: 0 });
      world.happen({ is: 'kept' });
      world.settle(isSilent ? 'is silent' : 'agrees');
      expect(world.isFrozen).toBe(true);
      expect(world.standing.told).toMatchObject({ isAwake: false, isExpired: true });
      // Bounded effort: a few questions, one freeze, a few reports.
      expect(world.steps).toBeLessThan(15);
    }),
    { numRuns: 1_000 },
  );
});

test('one that is released is awake and stays so until it is kept again', () => {
  fc.assert(
    fc.property(fc.boolean(), histories, (isFrozen, history) => {
      const world = new World(isFrozen);
      for (const turn of history) world.take(turn);
      world.happen({ is: 'released' });
      world.settle();
      expect(world.isFrozen).toBe(false);
    }),
    { numRuns: 500 },
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../tests/harness/seeded-random.ts';
import { pickInstance } from './pick-instance.ts';
import { pickRevision } from './pick-revision.ts';

const traffic = (canaryPercent: number, canary: string | undefined = 'new') => ({
  active: 'old',
  canary,
  canaryPercent,
  stickySeconds: 60,
});
const both = [{ revision: 'old' }, { revision: 'new' }];
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('a revision', () => {
  test('takes its share of the requests', () => {
    const random = seededRandom(7);
    const picks = Array.from({ length: 10_000 }, () => pickRevision(traffic(20), both, undefined, random));
    const canaries = picks.filter((revision) => revision === 'new').length;
    expect(canaries).toBeGreaterThan(1_800);
    expect(canaries).toBeLessThan(2_200);
  });

  test('with no share or all of it takes no request or all of them', () => {
    fc.assert(
      fc.property(share, (chance) => {
        expect(pickRevision(traffic(0), both, undefined, () => chance)).toBe('old');
        expect(pickRevision(traffic(100), both, undefined, () => chance)).toBe('new');
        expect(pickRevision({ ...traffic(50), canary: undefined }, both, undefined, () => chance)).toBe('old');
      }),
    );
  });

  test('keeps its clients for as long as it takes requests', () => {
    fc.assert(
      fc.property(share, fc.integer({ min: 1, max: 99 }), (chance, percent) => {
        for (const met of ['old', 'new']) expect(pickRevision(traffic(percent), both, met, () => chance)).toBe(met);
        expect(pickRevision(traffic(100), both, 'old', () => chance)).toBe('new');
        expect(pickRevision(traffic(0), both, 'new', () => chance)).toBe('old');
        expect(['old', 'new']).toContain(pickRevision(traffic(percent), both, 'older', () => chance));
      }),
    );
  });

  test('without an instance gives way to a revision with one', () => {
    fc.assert(
      fc.property(
        share,
        fc.integer({ min: 0, max: 100 }),
        fc.constantFrom('old', 'new', undefined),
        (chance, percent, met) => {
          expect(pickRevision(traffic(percent), [{ revision: 'old' }], met, () => chance)).toBe('old');
          expect(pickRevision(traffic(percent), [{ revision: 'new' }], met, () => chance)).toBe('new');
        },
      ),
    );
  });

  test('is chosen even when none has an instance, so that the request can wait for one', () => {
    expect(pickRevision(traffic(20), [], undefined, () => 0.5)).toBe('old');
    expect(pickRevision(traffic(20), [], undefined, () => 0.1)).toBe('new');
    expect(pickRevision({ ...traffic(0), active: undefined, canary: undefined }, [], 'old', () => 0)).toBeUndefined();
  });
});

describe('an instance', () => {
  const endpoints = ['a', 'b', 'c', 'd'].map((instance) => ({ instance }));

  test('that is picked has no more requests under way than any other', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), share, (counts, chance) => {
        const all = counts.map((_, index) => ({ instance: String(index) }));
        const picked = pickInstance(
          all,
          (instance) => counts[Number(instance)] ?? 0,
          () => chance,
        );
        expect(counts[Number(picked?.instance)]).toBe(Math.min(...counts));
      }),
    );
  });

  test('is picked as often as others with the same load', () => {
    const random = seededRandom(11);
    const picks = new Map<string, number>();
    for (let round = 0; round < 9_000; round += 1) {
      const { instance } = pickInstance(endpoints, (each) => (each === 'b' ? 1 : 0), random) ?? { instance: '' };
      picks.set(instance, (picks.get(instance) ?? 0) + 1);
    }
    expect([...picks.keys()].sort()).toEqual(['a', 'c', 'd']);
    for (const count of picks.values()) expect(Math.abs(count - 3_000)).toBeLessThan(250);
  });

  test('is undefined when there is none', () => {
    expect(pickInstance([], () => 0, Math.random)).toBeUndefined();
  });
});

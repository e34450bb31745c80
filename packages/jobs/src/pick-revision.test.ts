import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pickRevision } from './pick-revision.ts';

const kept = ['rev-3', 'rev-2', 'rev-1'].map((id) => ({ id }));
const pick = (traffic: object, chance = 0.5) => pickRevision({ canaryPercent: 0, ...traffic }, kept, () => chance)?.id;

test('without an active revision an execution runs the newest', () => {
  expect([pick({}), pick({ active: '' })]).toEqual(['rev-3', 'rev-3']);
});

test('the active revision runs, also when it is not the newest', () => {
  expect(pick({ active: 'rev-1' })).toBe('rev-1');
});

test('a revision that is not kept any more is ignored', () => {
  expect(pick({ active: 'rev-0' })).toBe('rev-3');
  expect(pick({ active: 'rev-1', canary: 'rev-0', canaryPercent: 100 })).toBe('rev-1');
});

test('the canary runs in exactly its share of executions', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), (canaryPercent) => {
      const picked = Array.from({ length: 100 }, (_, n) =>
        pick({ active: 'rev-1', canary: 'rev-3', canaryPercent }, (n + 0.5) / 100),
      );
      expect(picked.filter((id) => id === 'rev-3')).toHaveLength(canaryPercent);
      expect(picked.filter((id) => id === 'rev-1')).toHaveLength(100 - canaryPercent);
    }),
  );
});

test('a canary without a share never runs', () => {
  expect(pick({ canary: 'rev-1' }, 0)).toBe('rev-3');
});

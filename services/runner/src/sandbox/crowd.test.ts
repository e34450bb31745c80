import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beyond } from './crowd.ts';

test('the longest idle go, until so many are left; who is in use stays', () => {
  const members = [3, -1, 9, 0, Number.NEGATIVE_INFINITY, 5].map((idleMs) => ({ idleMs }));
  expect(beyond(2, members)).toEqual([{ idleMs: 9 }, { idleMs: 5 }]);
  expect(beyond(4, members)).toEqual([]);
  expect(beyond(100, members)).toEqual([]);
});

test('never more than the limit stay idle, and nobody stays who was idle for longer than one who goes', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.array(fc.integer({ min: -5, max: 50 })), (most, times) => {
      const members = times.map((idleMs) => ({ idleMs }));
      const gone = beyond(most, members);
      const left = members.filter((member) => member.idleMs >= 0 && !gone.includes(member));
      expect(gone.every(({ idleMs }) => idleMs >= 0)).toBe(true);
      expect(left.length).toBe(Math.min(most, left.length + gone.length));
      for (const { idleMs } of left) expect(gone.every((each) => each.idleMs >= idleMs)).toBe(true);
    }),
  );
});

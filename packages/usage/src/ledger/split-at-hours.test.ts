import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hourMs, splitAtHours, startOfHour } from './split-at-hours.ts';

const edge = Date.UTC(2028, 1, 29, 23);

test.each([
  ['inside an hour', edge + 1, edge + 2, [[edge + 1, edge + 2]]],
  ['a full hour', edge, edge + hourMs, [[edge, edge + hourMs]]],
  ['the last millisecond of a day', edge + hourMs - 1, edge + hourMs, [[edge + hourMs - 1, edge + hourMs]]],
  [
    'over the end of a leap day',
    edge + hourMs - 1,
    edge + hourMs + 1,
    [
      [edge + hourMs - 1, edge + hourMs],
      [edge + hourMs, edge + hourMs + 1],
    ],
  ],
  ['nothing', edge, edge, []],
  ['an end before the begin', edge, edge - 1, []],
])('%s is cut at full hours', (_, fromMs, toMs, expected) => {
  expect(splitAtHours({ fromMs, toMs }).map((piece) => [piece.fromMs, piece.toMs])).toEqual(expected);
});

const nearHours = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(-1, 0, 1, 1_800_000, 3_599_999))
  .map(([hours, ms]) => edge + hours * hourMs + ms);

test('the pieces of a period cover it without gap or overlap, and each lies in one hour', () => {
  fc.assert(
    fc.property(nearHours, nearHours, (one, other) => {
      const [fromMs, toMs] = [Math.min(one, other), Math.max(one, other)];
      const pieces = splitAtHours({ fromMs, toMs });
      expect([fromMs, ...pieces.map((piece) => piece.toMs)]).toEqual([...pieces.map((piece) => piece.fromMs), toMs]);
      for (const piece of pieces) {
        expect(piece.fromMs).toBeLessThan(piece.toMs);
        expect(startOfHour(piece.toMs - 1)).toBe(startOfHour(piece.fromMs));
      }
      expect(new Set(pieces.map((piece) => startOfHour(piece.fromMs))).size).toBe(pieces.length);
    }),
  );
});

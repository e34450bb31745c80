import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agreeOn, inWords, nodeProtocol, wireProtocol } from './index.ts';

const Range = fc.tuple(fc.nat(20), fc.nat(5)).map(([oldest, more]) => ({ oldest, newest: oldest + more }));
const versions = ({ oldest, newest }: { oldest: number; newest: number }): number[] =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index);

test('both sides agree on the newest version that both speak, whichever side asks', () => {
  fc.assert(
    fc.property(Range, Range, (one, other) => {
      const common = versions(one).filter((version) => versions(other).includes(version));
      expect(agreeOn(one, other)).toBe(common.at(-1));
      expect(agreeOn(other, one)).toBe(agreeOn(one, other));
    }),
  );
});

test('a release speaks the newest version of the release before it', () => {
  for (const protocol of [nodeProtocol, wireProtocol]) {
    // Version 1 has none before it.
    const before = Math.max(1, protocol.newest - 1);
    expect(agreeOn(protocol, { oldest: before, newest: before })).toBe(before);
  }
});

test('a range of one version is one number in a message', () => {
  expect([inWords({ oldest: 2, newest: 2 }), inWords({ oldest: 1, newest: 2 })]).toEqual(['2', '1 to 2']);
});

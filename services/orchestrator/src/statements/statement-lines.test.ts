import type { UsageSum } from '@berth/usage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { statementLines } from './statement-lines.ts';

const sum = (pico: bigint, changes: Partial<UsageSum> = {}): UsageSum => ({
  ...{ month: '2027-10', workspaceId: 'w1', workspace: 'main', billingDimension: 'job_compute_runtime_gbs' },
  ...{ micro: pico, pico, ...changes },
});

test('usage that was stated before is left out, more of it is a line, and less of it is a negative one', () => {
  expect(statementLines([sum(5n)], [])).toEqual([sum(5n)]);
  expect(statementLines([sum(5n)], [sum(2n), sum(3n)])).toEqual([]);
  expect(statementLines([sum(5n)], [sum(2n)])).toEqual([sum(3n)]);
  expect(statementLines([sum(5n)], [sum(7n)])).toEqual([sum(-2n)]);
  expect(statementLines([], [sum(7n)])).toEqual([sum(-7n)]);
});

test('months, workspaces and dimensions have lines of their own, and a changed price alone is a line', () => {
  const others = [
    sum(1n, { month: '2027-11' }),
    sum(1n, { workspaceId: 'w2' }),
    sum(1n, { billingDimension: 'agent_compute_runtime_gbs' }),
  ];
  expect(statementLines([sum(1n), ...others], [sum(1n)])).toEqual(others);
  expect(statementLines([sum(2n, { micro: 9n })], [sum(3n, { micro: 9n })])).toEqual([sum(-1n, { micro: 0n })]);
});

test('lines and what was stated before add up to the closed hours, whatever was stated', () => {
  const some = fc.record({
    month: fc.constantFrom('2027-10', '2027-11'),
    workspaceId: fc.constantFrom('w1', 'w2'),
    workspace: fc.constant('main'),
    billingDimension: fc.constantFrom('a', 'b'),
    micro: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    pico: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  });
  const total = (all: readonly UsageSum[]) => [
    all.reduce((added, { micro }) => added + micro, 0n),
    all.reduce((added, { pico }) => added + pico, 0n),
  ];
  fc.assert(
    fc.property(fc.array(some), fc.array(some), (sums, stated) => {
      expect(total([...statementLines(sums, stated), ...stated])).toEqual(total(sums));
    }),
  );
});

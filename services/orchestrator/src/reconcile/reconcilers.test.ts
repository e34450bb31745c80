import { kinds } from '@berth/contract';
import { expect, test } from 'vitest';
import { reconcilerOf, reconcilers } from './reconcilers.ts';

test('no kind has two reconcilers, and every reconciled kind is declared in the contract', () => {
  const reconciled = reconcilers.flatMap((reconciler) => reconciler.kinds);
  expect(new Set(reconciled).size).toBe(reconciled.length);
  expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(reconciled));
});

test('agents, functions and sandboxes are reconciled, other kinds are not', () => {
  const reconciled = kinds.map(({ kind }) => kind).filter((kind) => reconcilerOf(kind) !== undefined);
  expect(reconciled.toSorted()).toEqual(['agent', 'function', 'sandbox']);
});

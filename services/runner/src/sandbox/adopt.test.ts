import { expect, test } from 'vitest';
import { desiredInstance } from '../converge/desired-fixture.ts';
import { changesOf } from './adopt.ts';

const owned = desiredInstance({ generation: 2, env: { A: '1', B: '2' } });

test('what waited for an owner is given network and variables, and limits where they differ', () => {
  const { workspaceId: _, ...warm } = desiredInstance({ id: owned.id });
  expect(changesOf(warm, owned)).toEqual({ owner: true, limits: false, environment: true });
  expect(changesOf(warm, { ...owned, memoryMb: 128 })).toMatchObject({ limits: true });
});

test('of one that nothing is known of, everything is said again', () => {
  expect(changesOf(undefined, owned)).toEqual({ owner: true, limits: true, environment: true });
});

test('changed rules of sleep alone wake nobody, and neither does another order of variables', () => {
  const later = { ...owned, generation: 3, env: { B: '2', A: '1' }, sandbox: { idleSeconds: 60 } };
  expect(changesOf(owned, later)).toEqual({ owner: false, limits: false, environment: false });
});

test('a variable that is added, changed or taken away is a change', () => {
  for (const env of [{ A: '1', B: '2', C: '3' }, { A: '1', B: '3' }, { A: '1' }])
    expect(changesOf(owned, { ...owned, env })).toEqual({ owner: false, limits: false, environment: true });
});

import { expect, test } from 'vitest';
import { desiredInstance } from '../../test/desired-instance.ts';
import { changesOf } from './adopt.ts';

const owned = desiredInstance({ generation: 2, env: { A: '1', B: '2' } });

test('what waited for an owner is given network and variables, and limits where they differ', () => {
  const { workspaceId: _, ...warm } = desiredInstance({ id: owned.id });
  expect(changesOf(warm, owned)).toEqual({ network: true, limits: false, environment: true });
  expect(changesOf(warm, { ...owned, memoryMb: 128 })).toMatchObject({ limits: true });
});

test('of one that nothing is known of, everything is said again', () => {
  expect(changesOf(undefined, owned)).toEqual({ network: true, limits: true, environment: true });
});

test('changed rules of sleep alone wake nobody, and neither does another order of variables', () => {
  const later = { ...owned, generation: 3, env: { B: '2', A: '1' }, sandbox: { idleSeconds: 60 } };
  expect(changesOf(owned, later)).toEqual({ network: false, limits: false, environment: false });
});

test('a variable that is added, changed or taken away is a change', () => {
  for (const env of [{ A: '1', B: '2', C: '3' }, { A: '1', B: '3' }, { A: '1' }])
    expect(changesOf(owned, { ...owned, env })).toEqual({ network: false, limits: false, environment: true });
});

test('another VPC, or another declared port in it, is a change of the network alone', () => {
  const inVpc = { ...owned, vpc: { name: 'blue', ports: [{ protocol: 'tcp' as const, port: 3000 }] } };
  const isNetwork = { network: true, limits: false, environment: false };
  expect(changesOf(owned, inVpc)).toEqual(isNetwork);
  expect(changesOf(inVpc, { ...inVpc, vpc: { name: 'blue', ports: [] } })).toEqual(isNetwork);
  expect(changesOf(inVpc, structuredClone(inVpc))).toEqual({ ...isNetwork, network: false });
});

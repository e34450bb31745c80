import { expect, test } from 'vitest';
import { desiredSandbox } from '../../test/desired-instance.ts';
import { changesOf } from './adopt.ts';

const owned = desiredSandbox({ generation: 2, env: { A: '1', B: '2' } });

test('a warm sandbox gets network and variables, and limits only where they differ', () => {
  const { workspaceId: _, ...warm } = desiredSandbox({ id: owned.id });
  expect(changesOf(warm, owned)).toEqual({ network: true, limits: false, environment: true });
  expect(changesOf(warm, { ...owned, memoryMb: 128 })).toMatchObject({ limits: true });
});

test('a sandbox without a known applied state gets everything again', () => {
  expect(changesOf(undefined, owned)).toEqual({ network: true, limits: true, environment: true });
});

test('neither changed sleep rules nor another order of variables is a change for the guest', () => {
  const later = { ...owned, generation: 3, env: { B: '2', A: '1' }, sandbox: { idleSeconds: 60 } };
  expect(changesOf(owned, later)).toEqual({ network: false, limits: false, environment: false });
});

test('an added, changed or removed variable is a change', () => {
  for (const env of [{ A: '1', B: '2', C: '3' }, { A: '1', B: '3' }, { A: '1' }])
    expect(changesOf(owned, { ...owned, env })).toEqual({ network: false, limits: false, environment: true });
});

test('another VPC, or another declared port in it, changes only the network', () => {
  const inVpc = { ...owned, vpc: { name: 'blue', ports: [{ protocol: 'tcp' as const, port: 3000 }] } };
  const isNetwork = { network: true, limits: false, environment: false };
  expect(changesOf(owned, inVpc)).toEqual(isNetwork);
  expect(changesOf(inVpc, { ...inVpc, vpc: { name: 'blue', ports: [] } })).toEqual(isNetwork);
  expect(changesOf(inVpc, structuredClone(inVpc))).toEqual({ ...isNetwork, network: false });
});

import { defaultBrand } from '@berth/contract';
import { InstanceSpec } from '@berth/contract/node';
import { SealedEnv } from '@berth/identity';
import { expect, test } from 'vitest';
import { PlacementConfig } from '../config.ts';
import type { Connection } from './environment-variables.ts';
import { workloadFault, workloadInstanceSpec, workloadPort } from './workload-instance.ts';
import { instanceLimits, WorkloadSpec } from './workload-spec.ts';

const workload = {
  uid: '0198c0de-0000-7000-8000-000000000001',
  kind: 'function',
  name: 'tools',
  workspace: { id: '0198c0de-0000-7000-8000-000000000002', name: 'acme' },
};
const placement = PlacementConfig.parse({});
const image = { image: 'example/tools:1', source: { origin: 'outside' as const } };
const where = { region: 'eu', isolation: 'gvisor' as const, image };
const make = (runtime: object, connections: readonly Connection[] = []) =>
  workloadInstanceSpec(workload, WorkloadSpec.parse({ runtime }), where, connections, {
    placement,
    brand: defaultBrand,
  });

test('what is stored is what the node protocol asks for', () => {
  const { env, ...spec } = make({ image: 'example/tools:1', memory: 8192 });
  expect(InstanceSpec.parse(spec)).toEqual(spec);
  expect(spec).toMatchObject({ mode: 'serve', memoryMb: 8192, cpus: 4, port: 80, startTimeoutSeconds: 45 });
  expect(SealedEnv.parse(env)).toEqual(env);
  expect(make({ image: 'a' })).toMatchObject({ memoryMb: 2048, cpus: 1 });
  expect(make({ image: 'a', memory: 512 })).toMatchObject({ cpus: 1 });
});

test('the environment has platform variables first, then connections, then the workload’s own, then HOST and PORT', () => {
  const connection = {
    uid: 'c-1',
    config: { SITE: 'https://example.com', SERVICE_NAME: 'from the connection' },
    secret: { KEY: { $sealed: 'v1.k' } },
  };
  const envs = [
    { name: 'SITE', value: 'https://other.example' },
    { name: 'TOKEN', value: { $sealed: 'v1.t' } },
    { name: 'HOST', value: '127.0.0.1' },
    { name: 'EMPTY' },
  ];
  const entries = new Map(make({ image: 'a', envs }, [connection]).env.map((entry) => [entry.name, entry]));
  const value = (name: string): unknown => {
    const entry = entries.get(name);
    return entry === undefined || 'sealed' in entry ? entry : entry.value;
  };
  expect(value('SERVICE_WORKSPACE')).toBe('acme');
  expect(value('SERVICE_TYPE')).toBe('function');
  expect(value('SERVICE_REGION')).toBe('eu');
  expect(value('SERVICE_NAME')).toBe('from the connection');
  expect(value('SITE')).toBe('https://other.example');
  expect(value('KEY')).toEqual({ name: 'KEY', sealed: 'v1.k', context: 'resource c-1' });
  expect(value('TOKEN')).toEqual({ name: 'TOKEN', sealed: 'v1.t', context: `resource ${workload.uid}` });
  expect([value('HOST'), value('PORT'), value('DO_NOT_TRACK'), value('EMPTY')]).toEqual([
    '0.0.0.0',
    '80',
    '1',
    undefined,
  ]);
  expect([...entries.keys()].filter((name) => /CREDENTIALS/.test(name))).toEqual([]);
});

test('the port is the first declared port, else PORT, else 80', () => {
  const port = (runtime: object) => workloadPort(WorkloadSpec.parse({ runtime }));
  expect(port({ ports: [{ target: 3000 }, { target: 4000 }], envs: [{ name: 'PORT', value: '5000' }] })).toBe(3000);
  expect(port({ envs: [{ name: 'PORT', value: '5000' }] })).toBe(5000);
  expect(port({ envs: [{ name: 'PORT', value: 'many' }] })).toBe(80);
  expect(port({ envs: [{ name: 'PORT', value: { $sealed: 'v1.x' } }] })).toBe(80);
  expect(port({})).toBe(80);
});

test('without an image it says what to set', () => {
  expect(workloadFault('agent', WorkloadSpec.parse({}))).toBe('No image: set spec.runtime.image.');
  expect(workloadFault('function', WorkloadSpec.parse({ integrationConnections: ['mail'] }))).toContain(
    'no published image yet',
  );
  expect(workloadFault('agent', WorkloadSpec.parse({ runtime: { image: 'a' } }))).toBeUndefined();
});

test.each([
  [{}, 0, 10],
  [{ minScale: 3 }, 3, 10],
  [{ minScale: 30 }, 30, 30],
  [{ minScale: 3, maxScale: 2 }, 2, 2],
  [{ minScale: 0, maxScale: 0 }, 0, 1],
])('scale %j keeps %i instances and has at most %i', (runtime, minInstances, maxInstances) => {
  expect(instanceLimits(WorkloadSpec.parse({ runtime }), 10)).toEqual({ minInstances, maxInstances });
});

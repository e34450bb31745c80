import { defaultBrand } from '@berth/contract';
import { InstanceSpec } from '@berth/contract/node';
import { SealedEnv } from '@berth/identity';
import { expect, test } from 'vitest';
import { PlacementConfig } from '../config.ts';
import { JobSpec } from './job-spec.ts';
import { taskInstanceSpecs, taskReservedMb } from './task-instance.ts';

const settings = { placement: PlacementConfig.parse({}), brand: defaultBrand };
const job = {
  uid: '0198c0de-0000-7000-8000-000000000001',
  name: 'resize',
  workspace: { id: '0198c0de-0000-7000-8000-000000000002', name: 'acme' },
};
const execution = { id: 'e-1', externalId: 'nightly', memoryMb: 4_096, timeoutSeconds: 900, env: {} };
const image = { image: 'example/resize:1', source: { origin: 'outside' as const } };
const place = { region: 'eu', isolation: 'gvisor' as const };
const dataUrlOf = (index: number) => `https://run.example.org/-/tasks/${index}`;
const make = (runtime: object, changes: object = {}, volumes: object[] = []) =>
  taskInstanceSpecs(
    { job, spec: JobSpec.parse({ runtime, volumes }), execution: { ...execution, ...changes }, image, dataUrlOf },
    settings,
  );

test('what is stored is what the node protocol asks for, with the memory of the execution', () => {
  const { env, ...spec } = make({ image: 'example/resize:1', memory: 8_192 })(place, 3);
  expect(InstanceSpec.parse(spec)).toEqual(spec);
  expect(spec).toMatchObject({ mode: 'task', memoryMb: 4_096, cpus: 2, timeoutSeconds: 900, graceSeconds: 10 });
  expect(spec.resource).toEqual({ uid: job.uid, kind: 'job', name: 'resize' });
  expect(SealedEnv.parse(env)).toEqual(env);
});

test('each task is told its index and its execution; the execution’s variables override those of the job', () => {
  const envs = [
    { name: 'MODE', value: 'fast' },
    { name: 'KEY', value: { $sealed: 'v1.job' } },
    { name: 'TASK_INDEX', value: '99' },
  ];
  const specOf = make({ envs }, { env: { MODE: { $sealed: 'v1.execution' } } });
  const valueIn = (region: string, index: number, name: string): unknown => {
    const found = specOf({ ...place, region }, index).env.filter((entry) => entry.name === name);
    expect(found).toHaveLength(1);
    const [entry] = found;
    return entry === undefined || 'sealed' in entry ? entry : entry.value;
  };
  expect([valueIn('eu', 0, 'TASK_INDEX'), valueIn('eu', 7, 'TASK_INDEX')]).toEqual(['0', '7']);
  expect([valueIn('eu', 0, 'SERVICE_REGION'), valueIn('us', 0, 'SERVICE_REGION')]).toEqual(['eu', 'us']);
  expect(valueIn('eu', 0, 'SERVICE_TASK_KEY')).toBe('TASK_INDEX');
  expect(valueIn('eu', 0, 'SERVICE_EXECUTION_KEY')).toBe('SERVICE_EXECUTION_ID');
  expect(valueIn('eu', 0, 'SERVICE_EXECUTION_ID')).toBe('nightly');
  expect(valueIn('eu', 7, 'SERVICE_EXECUTION_DATA_URL')).toBe('https://run.example.org/-/tasks/7');
  expect(valueIn('eu', 0, 'MODE')).toEqual({ name: 'MODE', sealed: 'v1.execution', context: 'execution e-1' });
  expect(valueIn('eu', 0, 'KEY')).toEqual({ name: 'KEY', sealed: 'v1.job', context: `resource ${job.uid}` });
});

test('a task gets HOST and PORT of the first declared port, over variables of that name, and none without ports', () => {
  const envs = [{ name: 'PORT', value: '1' }];
  const listening = (runtime: object, changes: object = {}) =>
    make(runtime, changes)(place, 0).env.filter(({ name }) => name === 'HOST' || name === 'PORT');
  const ports = [{ target: 9_000, name: 'metrics' }, { target: 9_001 }];
  const variables = [
    { name: 'HOST', value: '0.0.0.0' },
    { name: 'PORT', value: '9000' },
  ];
  expect(listening({ ports })).toEqual(variables);
  const overridden = listening({ ports, envs }, { env: { PORT: { $sealed: 'v1.execution' } } });
  expect(overridden).toHaveLength(2);
  expect(overridden).toEqual(expect.arrayContaining(variables));
  for (const runtime of [{}, { ports: [] }]) expect(listening(runtime)).toEqual([]);
  expect(listening({ envs })).toEqual(envs);
});

test('a task is told its volumes, and no volumes where its job has none', () => {
  const volumes = [
    { name: 'scratch', mountPath: '/scratch//deep/', sizeMb: 64, type: 'ephemeral' },
    { name: 'empty', mountPath: '/empty', sizeMb: 1, type: 'ephemeral', readOnly: true },
  ];
  const { env: _env, ...spec } = make({}, {}, volumes)(place, 0);
  expect(InstanceSpec.parse(spec)).toMatchObject({
    volumes: [
      { mountPath: '/scratch/deep', sizeMb: 64, readOnly: false },
      { mountPath: '/empty', sizeMb: 1, readOnly: true },
    ],
  });
  expect(make({})(place, 0)).not.toHaveProperty('volumes');
});

test('the disk of a task is the share that its job names, of the memory of the execution', () => {
  const diskOf = (runtime: object, memoryMb: number) => {
    const { env: _env, ...spec } = make(runtime, { memoryMb })(place, 0);
    return InstanceSpec.parse(spec);
  };
  expect(diskOf({ memory: 8_192, diskPercent: 25 }, 8_192)).toMatchObject({ diskMb: 2_048 });
  expect(diskOf({ memory: 8_192, diskPercent: 25 }, 1_024)).toMatchObject({ diskMb: 256 });
  expect(diskOf({ diskPercent: 10 }, 128)).toMatchObject({ diskMb: 12 });
  expect(diskOf({ diskPercent: 10 }, 5)).toMatchObject({ diskMb: 1 });
  expect(diskOf({ memory: 8_192 }, 8_192)).not.toHaveProperty('diskMb');
});

test('a task reserves its memory, divided by the overcommit of the deployment', () => {
  expect(taskReservedMb(1_000, settings)).toBe(1_000);
  expect(taskReservedMb(1_000, { placement: PlacementConfig.parse({ overcommit: 3 }) })).toBe(334);
});

import { expect, test } from 'vitest';
import { z } from 'zod';
import { DesiredInstance, InstanceSpec } from './instance.ts';

const spec = {
  resource: { uid: '0198c0de-0000-7000-8000-000000000001', kind: 'agent', name: 'one' },
  image: 'example/one:1',
  imageSource: { origin: 'outside' },
  isolation: 'gvisor',
  memoryMb: 512,
  cpus: 1,
  port: 8080,
  startTimeoutSeconds: 45,
  vpc: { name: 'blue', ports: [{ protocol: 'tcp', port: 3000 }] },
};
const instance = {
  ...spec,
  id: '0198c0de-0000-7000-8000-000000000002',
  generation: 2,
  workspaceId: '0198c0de-0000-7000-8000-000000000003',
  revision: 'boot-1',
  env: { A: '1' },
};
const sandbox = { idleSeconds: 15, expiresIdleSeconds: 1_800 };

test('an instance of the previous release without a mode is read as serving', () => {
  expect(DesiredInstance.parse(instance)).toEqual({ ...instance, mode: 'serve' });
  expect(InstanceSpec.parse(spec)).toEqual({ ...spec, mode: 'serve' });
});

test('an instance of the previous release without a mode is read as a sandbox when it has settings of one', () => {
  expect(DesiredInstance.parse({ ...instance, sandbox })).toEqual({ ...instance, mode: 'sandbox', sandbox });
  expect(InstanceSpec.parse({ ...spec, sandbox })).toEqual({ ...spec, mode: 'sandbox', sandbox });
  expect(DesiredInstance.safeParse({ ...instance, sandbox: {} }).success).toBe(false);
});

test('a sandbox has settings, and an instance that serves has none', () => {
  expect(DesiredInstance.safeParse({ ...instance, mode: 'sandbox' }).success).toBe(false);
  expect(DesiredInstance.parse({ ...instance, mode: 'serve', sandbox })).not.toHaveProperty('sandbox');
  expect(InstanceSpec.safeParse({ ...spec, mode: 'sandbox' }).success).toBe(false);
});

test('an unknown mode, and anything but an instance, is refused', () => {
  for (const other of [undefined, null, 'serve', [], {}, { ...instance, mode: 'unknown' }])
    expect(DesiredInstance.safeParse(other).success).toBe(false);
});

/** `DesiredInstance` of the release before `mode`. */
const PreviousInstance = z.object({
  id: z.uuid(),
  generation: z.int().positive().default(1),
  workspaceId: z.uuid().optional(),
  resource: z.object({ uid: z.uuid(), kind: z.string(), name: z.string() }).optional(),
  revision: z.string(),
  image: z.string(),
  imageSource: z
    .object({
      origin: z.enum(['deployment', 'workspace', 'outside']),
      workspaceId: z.uuid().optional(),
      isListed: z.boolean().optional(),
    })
    .optional(),
  isolation: z.enum(['runc', 'gvisor']),
  memoryMb: z.int().positive(),
  cpus: z.number().positive(),
  port: z.int().min(1).max(65_535),
  env: z.record(z.string(), z.string()),
  startTimeoutSeconds: z.number().positive(),
  sandbox: z
    .object({ idleSeconds: z.number().positive(), expiresIdleSeconds: z.number().positive().optional() })
    .optional(),
  vpc: z
    .object({
      name: z.string().min(1).max(100),
      ports: z.array(z.object({ protocol: z.enum(['tcp', 'udp']), port: z.int().min(1).max(65_535) })).max(1_000),
    })
    .optional(),
});

test('a runner of the previous release reads a sandbox as a sandbox and any other instance as serving', () => {
  const sent = (desired: unknown): unknown => JSON.parse(JSON.stringify(DesiredInstance.parse(desired)));
  expect(PreviousInstance.parse(sent({ ...instance, mode: 'sandbox', sandbox }))).toEqual({ ...instance, sandbox });
  expect(PreviousInstance.parse(sent({ ...instance, mode: 'serve' }))).toEqual(instance);
});

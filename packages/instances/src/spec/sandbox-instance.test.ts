import { defaultBrand } from '@berth/contract';
import { InstanceSpec } from '@berth/contract/node';
import { SealedEnv } from '@berth/identity';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlacementConfig } from '../config.ts';
import { mayBeClaimed } from '../sandbox/may-be-claimed.ts';
import { poolKeyOf } from './pool-key.ts';
import {
  bootOf,
  bootRevision,
  sandboxFault,
  sandboxImageName,
  sandboxInstanceSpec,
  sandboxReservedMb,
  warmInstanceSpec,
} from './sandbox-instance.ts';
import { SandboxSpec } from './sandbox-spec.ts';

const sandbox = {
  uid: '0198c0de-0000-7000-8000-000000000001',
  name: 'box',
  workspace: { id: '0198c0de-0000-7000-8000-000000000002', name: 'acme' },
};
const settings = { placement: PlacementConfig.parse({ sandboxes: { defaultImage: 'base:1' } }), brand: defaultBrand };
const image = { image: 'example/box:1', source: { origin: 'outside' } } as const;
const where = { region: 'eu', isolation: 'gvisor', image } as const;
const make = (spec: object) => sandboxInstanceSpec(sandbox, SandboxSpec.parse(spec), where, settings);
const variable = (spec: object, name: string): unknown => {
  const entry = make(spec).env.find((each) => each.name === name);
  return entry === undefined || 'sealed' in entry ? entry : entry.value;
};
const claimable = (spec: object): boolean => mayBeClaimed(SandboxSpec.parse(spec), settings);

test('what is stored is what the node protocol asks for', () => {
  const { env, ...spec } = make({ runtime: { image: 'example/box:1', memory: 8192 } });
  expect(InstanceSpec.parse(spec)).toEqual(spec);
  expect(spec).toMatchObject({
    mode: 'sandbox',
    image: 'example/box:1',
    memoryMb: 8192,
    cpus: 4,
    port: 8080,
    sandbox: { idleSeconds: 15 },
  });
  expect(SealedEnv.parse(env)).toEqual(env);
  const { env: none, ...warm } = warmInstanceSpec({ image: 'a', isolation: 'runc', memoryMb: 4096 }, settings);
  expect(InstanceSpec.parse(warm)).toEqual(warm);
  expect([none, warm.resource]).toEqual([[], undefined]);
});

test('a sandbox without image or memory gets the operator’s defaults', () => {
  const named = (spec: object) => sandboxImageName(SandboxSpec.parse(spec), settings.placement);
  expect([named({}), named({ runtime: { image: '' } }), named({ runtime: { image: 'a' } })]).toEqual([
    'base:1',
    'base:1',
    'a',
  ]);
  expect(make({})).toMatchObject({ memoryMb: 4096, cpus: 2 });
  expect(sandboxReservedMb(SandboxSpec.parse({}), settings.placement)).toBe(512);
  expect(sandboxReservedMb(SandboxSpec.parse({ runtime: { memory: 129 } }), settings.placement)).toBe(17);
});

test('a sandbox without an image and without a default image fails with a message that names both settings', () => {
  const bare = PlacementConfig.parse({});
  expect(sandboxFault(SandboxSpec.parse({}), bare)).toContain('spec.runtime.image');
  expect(sandboxFault(SandboxSpec.parse({ runtime: { image: 'a' } }), bare)).toBeUndefined();
  expect(sandboxFault(SandboxSpec.parse({}), settings.placement)).toBeUndefined();
});

test('5.7: HOST and PORT are injected, never the port of the sandbox’s own API, and what the sandbox says itself wins', () => {
  expect([variable({}, 'HOST'), variable({}, 'PORT')]).toEqual(['0.0.0.0', '3000']);
  const ports = [{ target: 8080 }, { target: 443 }, { target: 5173 }];
  expect(variable({ runtime: { ports } }, 'PORT')).toBe('5173');
  const envs = [
    { name: 'PORT', value: '8000' },
    { name: 'HOST', value: '127.0.0.1' },
  ];
  expect([variable({ runtime: { envs } }, 'HOST'), variable({ runtime: { envs } }, 'PORT')]).toEqual([
    '127.0.0.1',
    '8000',
  ]);
  fc.assert(
    fc.property(fc.array(fc.record({ target: fc.integer({ min: 1, max: 65_535 }) })), (some) => {
      expect(variable({ runtime: { ports: some } }, 'PORT')).not.toBe('8080');
    }),
  );
});

test('5.7: workspace, name and region are injected; a secret stays sealed for its resource', () => {
  const envs = [{ name: 'TOKEN', value: { $sealed: 'v1.t' } }];
  expect(variable({}, 'SERVICE_WORKSPACE')).toBe('acme');
  expect(variable({}, 'SERVICE_WORKSPACE_ID')).toBe(sandbox.workspace.id);
  expect(variable({}, 'SERVICE_NAME')).toBe('box');
  expect(variable({}, 'SERVICE_TYPE')).toBe('sandbox');
  expect(variable({}, 'SERVICE_REGION')).toBe('eu');
  expect(variable({ runtime: { envs } }, 'TOKEN')).toEqual({
    name: 'TOKEN',
    sealed: 'v1.t',
    context: `resource ${sandbox.uid}`,
  });
});

test('the runner gets the shortest ttl-idle rule and no other rule', () => {
  const expirationPolicies = [
    { type: 'ttl-idle', value: '2h' },
    { type: 'ttl-idle', value: '30m' },
    { type: 'ttl-max-age', value: '1m' },
  ];
  expect(make({ lifecycle: { expirationPolicies } }).sandbox).toEqual({ idleSeconds: 15, expiresIdleSeconds: 1800 });
  expect(make({ lifecycle: { expirationPolicies: expirationPolicies.slice(2) } }).sandbox).toEqual({ idleSeconds: 15 });
});

test('a warm sandbox can become any sandbox of its pool, whatever its envs, labels, ttl and ports', () => {
  const runtime = { envs: [{ name: 'WORKDIR', value: '/app' }], ttl: '1h', ports: [{ target: 3000 }] };
  expect(claimable({})).toBe(true);
  expect(claimable({ runtime, lifecycle: { expirationPolicies: [] } })).toBe(true);
});

test('a sandbox that sets what is read only at start is not claimed', () => {
  expect(claimable({ volumes: [{ name: 'v' }] })).toBe(false);
  expect(claimable({ runtime: { extraArgs: { tun: 'enabled' } } })).toBe(false);
  expect(claimable({ runtime: { storageMb: 10 } })).toBe(false);
  expect(claimable({ runtime: { dockerConfig: { $sealed: 'x' } } })).toBe(false);
  for (const name of ['SANDBOX_LOG_DIR', 'SERVICE_SANDBOX_USER', 'SERVICE_ENV_VAR_PATH'])
    expect(claimable({ runtime: { envs: [{ name, value: 'x' }] } })).toBe(false);
  const branded = { ...settings, brand: { ...defaultBrand, short: 'acme' } };
  const spec = SandboxSpec.parse({ runtime: { envs: [{ name: 'ACME_SANDBOX_USER', value: 'x' }] } });
  expect(mayBeClaimed(spec, branded)).toBe(false);
});

test('a claimed sandbox keeps the image, isolation and port that it was started with', () => {
  fc.assert(
    fc.property(fc.constantFrom('runc', 'gvisor'), fc.integer({ min: 128, max: 65_536 }), (isolation, memory) => {
      const spec = SandboxSpec.parse({ runtime: { memory } });
      const claimed = sandboxInstanceSpec(sandbox, spec, { region: 'eu', isolation, image }, settings);
      const warm = warmInstanceSpec(claimed, settings);
      expect(poolKeyOf(claimed)).toBe(poolKeyOf(warm));
      expect([warm.image, warm.isolation, warm.port]).toEqual([claimed.image, claimed.isolation, claimed.port]);
    }),
  );
});

test('a sandbox begins with its first boot', () => {
  expect([bootOf(null), bootOf({}), bootOf({ boot: 3 })]).toEqual([1, 1, 3]);
  expect(bootRevision(2)).toBe('boot-2');
});

test('a sandbox has peers only in a VPC that it names, on declared ports, and never on the guest’s', () => {
  const ports = [{ target: 3000 }, { target: 8080 }, { target: 53, protocol: 'UDP' }];
  for (const vpc of [undefined, 'default']) expect(make({ vpc, runtime: { ports } }).vpc).toBeUndefined();
  expect(make({ vpc: 'blue' }).vpc).toEqual({ name: 'blue', ports: [] });
  expect(make({ vpc: 'blue', runtime: { ports } }).vpc).toEqual({
    name: 'blue',
    ports: [
      { protocol: 'tcp', port: 3000 },
      { protocol: 'udp', port: 53 },
    ],
  });
});

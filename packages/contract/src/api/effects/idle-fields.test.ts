import { describe, expect, test } from 'vitest';
import { sandbox } from '../kinds/sandbox.ts';
import { idleFields } from './idle-fields.ts';

const refused = (network: object) => idleFields(sandbox, 'refused', { network }).flatMap(({ fields }) => fields);
const warned = (spec: Record<string, unknown>) => idleFields(sandbox, 'warned', spec).flatMap(({ fields }) => fields);

describe('a network rule', () => {
  test.each([
    [{ allowedDomains: ['a.example'] }, 'spec.network.allowedDomains'],
    [{ forbiddenDomains: ['a.example'] }, 'spec.network.forbiddenDomains'],
    [{ proxy: { allowedDomains: ['a.example'] } }, 'spec.network.proxy.allowedDomains'],
    [{ proxy: { forbiddenDomains: ['a.example'] } }, 'spec.network.proxy.forbiddenDomains'],
    [{ proxy: { bypass: ['a.example'] } }, 'spec.network.proxy.bypass'],
    [{ proxy: { routing: [{ headers: { a: 'b' } }] } }, 'spec.network.proxy.routing'],
    [{ firewall: { rulesets: ['default', 'proxy'] } }, 'spec.network.firewall.rulesets'],
    [{ firewall: { rulesets: ['dedicated-ip'] } }, 'spec.network.firewall.rulesets'],
    [{ egress: { gateway: 'exit' } }, 'spec.network.egress.gateway'],
    [{ egress: { mode: 'dedicated' } }, 'spec.network.egress.mode'],
    [{ egress: { policies: [{ mode: 'shared', destinations: ['*'] }] } }, 'spec.network.egress.policies'],
    [{ subnet: 'inner' }, 'spec.network.subnet'],
  ])('that nothing enforces is refused: %j', (network, field) => {
    expect(refused(network)).toEqual([field]);
  });

  test.each([
    {},
    { allowedDomains: [], forbiddenDomains: [] },
    { proxy: { allowedDomains: [], routing: [{}], bypass: [] } },
    { firewall: { rulesets: ['default'] } },
    { egress: { policies: [] } },
    { subnet: 'default' },
  ])('that changes nothing is taken: %j', (network) => {
    expect(refused(network)).toEqual([]);
  });
});

test('a field is warned of when it asks for something, and not when it holds a default', () => {
  expect(warned({ runtime: { terminationGracePeriodSeconds: 0, snapshotEnabled: false, extraArgs: {} } })).toEqual([]);
  expect(warned({ runtime: { ports: [{ target: 1, protocol: 'HTTP' }, { target: 2 }] } })).toEqual([]);
  expect(warned({ runtime: { ports: [{ target: 1, protocol: 'UDP' }], snapshotEnabled: true } })).toEqual([
    'spec.runtime.snapshotEnabled',
    'spec.runtime.ports[].protocol',
  ]);
  expect(idleFields({ kind: 'application', specDefaults: { memory: 2048 } }, 'warned', { memory: 2048 })).toEqual([]);
});

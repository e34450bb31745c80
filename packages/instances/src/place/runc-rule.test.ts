import { expect, test } from 'vitest';
import { PlacementConfig } from '../config.ts';
import { describeIsolation } from './describe-isolation.ts';
import { isolationNeedOf } from './runc-rule.ts';
import { waitingMessage } from './waiting-message.ts';

const asking = (generation?: string) => ({ runtime: { generation } });

test.for([
  ['nothing', 'gvisor', 'gvisor', false],
  ['mk2-workloads', 'gvisor', 'runc', false],
  ['everything', 'runc', 'runc', true],
] as const)(
  'with runcFor %s a sandbox that asks for mk2 gets %s, a workload %s',
  ([rule, sandbox, workload, mayFallBack]) => {
    expect(isolationNeedOf('sandbox', asking('mk2'), rule)).toEqual({ isolation: sandbox, mayFallBack });
    expect(isolationNeedOf('workload', asking('mk2'), rule)).toEqual({ isolation: workload, mayFallBack });
    for (const guarded of ['sandbox', 'workload'] as const)
      for (const generation of [undefined, 'mk3', 'mk9'])
        expect(isolationNeedOf(guarded, asking(generation), rule)).toEqual({ isolation: 'gvisor', mayFallBack });
  },
);

test('sandboxes need gVisor unless the operator says otherwise', () => {
  expect(PlacementConfig.parse({}).runcFor).toBe('mk2-workloads');
});

test('the waiting message of an instance that needs gVisor names gVisor and the setting', () => {
  const plain = {
    ...{ id: 'a', status: 'up', region: 'eu', isolation: ['runc'], memoryMb: 4_096, reservedMb: 0, isPressed: false },
  };
  const allowed = { regions: [{ name: 'eu', continent: '', country: '' }], refusedBy: [] };
  const message = (runners: readonly (typeof plain)[]) =>
    waitingMessage(runners, allowed, { isolation: 'gvisor', mayFallBack: false, reservedMb: 1_024 });
  expect(message([plain])).toMatch(
    /none in region eu has gVisor, which placement\.runcFor requires; .* installs gVisor/,
  );
  const away = { ...plain, id: 'b', status: 'lost', isolation: ['gvisor'] };
  expect(message([plain, away])).toBe('Waiting for a runner: those in region eu that have gVisor are not connected.');
  expect(message([{ ...plain, isolation: ['runc', 'gvisor'], reservedMb: 4_000 }])).toContain('1024 MB free');
});

test('a region without gVisor says whether its workloads wait or share a kernel', () => {
  const runners = { up: 2, withGvisor: 0 };
  expect(describeIsolation(runners, 'everything')).toContain('share the kernel of their machine: no runner has gVisor');
  expect(describeIsolation(runners, 'mk2-workloads')).toMatch(
    /No runner has gVisor, so sandboxes and mk3 workloads wait/,
  );
  expect(describeIsolation({ up: 2, withGvisor: 1 }, 'nothing')).toContain('nothing shares the kernel');
});

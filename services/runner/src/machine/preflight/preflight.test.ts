import { expect, test } from 'vitest';
import type { Wanted } from './checks.ts';
import type { EngineFacts, Facts } from './facts.ts';
import { assertSuitable, warningsOf } from './preflight.ts';

const engine: EngineFacts = {
  ServerVersion: '29.0.1',
  DockerRootDir: '/var/lib/docker',
  Driver: 'overlayfs',
  MemoryLimit: true,
  CpuCfsQuota: true,
  PidsLimit: true,
  LiveRestoreEnabled: true,
  SecurityOptions: ['name=apparmor', 'name=seccomp,profile=builtin', 'name=cgroupns'],
  Runtimes: { runc: {}, runsc: { runtimeArgs: ['--platform=systrap', '--network=sandbox'] } },
};

const good: Facts = {
  userId: 0,
  kernel: '6.12.107+deb13-cloud-amd64',
  missingPrograms: [],
  controllers: ['cpuset', 'cpu', 'io', 'memory', 'hugetlb', 'pids'],
  nftablesError: undefined,
  hasBridgeFilter: true,
  trackedConnections: 262_144,
  hasConntrack: true,
  engine,
  engineDisk: '/dev/vda',
};
const all: Wanted = { isolation: ['runc', 'gvisor'], diskMbPerSecond: undefined, connections: 4_096 };

const withEngine = (other: Partial<EngineFacts>): Partial<Facts> => ({ engine: { ...engine, ...other } });

test('a suitable machine is accepted with either version of cgroups', () => {
  assertSuitable(good, all);
  assertSuitable({ ...good, controllers: undefined, kernel: '5.10.0-28-amd64' }, { ...all, isolation: ['gvisor'] });
  for (const ServerVersion of ['20.10.10', '20.10.24+dfsg1', '20.11', '23.0.0'])
    assertSuitable({ ...good, ...withEngine({ ServerVersion }) }, all);
});

test.each<[string, Partial<Facts>, RegExp]>([
  ['not root', { userId: 1000 }, /user 1000, not as root[\s\S]*Start it as root/],
  ['an old kernel', { kernel: '4.19.0-26-amd64' }, /kernel is 4.19.0-26-amd64; the runner needs 5.10[\s\S]*Update/],
  ['a missing program', { missingPrograms: ['nft'] }, /missing: nft[\s\S]*apt-get install nftables/],
  [
    'no memory controller',
    { controllers: ['cpu', 'io', 'pids'] },
    /no cgroup controller for memory[\s\S]*cgroup_disable/,
  ],
  [
    'no nf_tables',
    { nftablesError: 'Operation not supported' },
    /nft cannot make tables: Operation[\s\S]*modprobe nf_tables/,
  ],
  ['no br_netfilter', { hasBridgeFilter: false }, /br_netfilter is missing[\s\S]*modprobe br_netfilter/],
  [
    'no engine',
    { engine: { error: 'connect ENOENT' } },
    /Docker does not answer: connect ENOENT[\s\S]*systemctl start docker/,
  ],
  [
    'an old engine',
    withEngine({ ServerVersion: '19.03.15' }),
    /Docker is 19.03.15; the runner needs 20.10.10[\s\S]*Update Docker/,
  ],
  [
    'an engine that cannot answer ENOSYS',
    withEngine({ ServerVersion: '20.10.9' }),
    /Docker is 20.10.9; the runner needs 20.10.10/,
  ],
  [
    'a rootless engine',
    withEngine({ SecurityOptions: ['name=seccomp', 'name=rootless'] }),
    /without root[\s\S]*as a service/,
  ],
  ['no live-restore', withEngine({ LiveRestoreEnabled: false }), /ends all containers[\s\S]*"live-restore": true/],
  ['no limits', withEngine({ MemoryLimit: false }), /cannot limit memory[\s\S]*cgroup_enable=memory/],
  ['no seccomp', withEngine({ SecurityOptions: [] }), /without a seccomp profile[\s\S]*runner.isolation: \[gvisor\]/],
  [
    'seccomp switched off',
    withEngine({ SecurityOptions: ['name=seccomp,profile=unconfined'] }),
    /without a seccomp profile[\s\S]*Remove "seccomp-profile"/,
  ],
  [
    'another storage driver',
    withEngine({ Driver: 'btrfs' }),
    /storage driver btrfs[\s\S]*"storage-driver": "overlay2"/,
  ],
  [
    'gVisor in user namespaces',
    withEngine({ SecurityOptions: ['name=seccomp,profile=builtin', 'name=userns'] }),
    /userns-remap[\s\S]*runner.isolation: \[runc\]/,
  ],
  [
    'gVisor on the machine’s network stack',
    withEngine({ Runtimes: { runc: {}, runsc: { runtimeArgs: ['--network=host'] } } }),
    /network stack of the machine[\s\S]*--network=sandbox/,
  ],
])('%s is refused with the reason and the fix', (_, other, expected) => {
  expect(() => assertSuitable({ ...good, ...other }, all)).toThrow(expected);
});

test('a machine that offers gVisor alone needs neither a seccomp profile nor a storage driver that can be counted', () => {
  assertSuitable(
    { ...good, ...withEngine({ Driver: 'btrfs', SecurityOptions: [] }) },
    { ...all, isolation: ['gvisor'] },
  );
});

test('a machine that offers runc alone may have user namespaces', () => {
  const SecurityOptions = ['name=seccomp,profile=builtin', 'name=userns'];
  assertSuitable({ ...good, ...withEngine({ SecurityOptions }) }, { ...all, isolation: ['runc'] });
});

test('a limit on what instances read and write is refused where it cannot be held', () => {
  const limited = { ...all, diskMbPerSecond: 50 };
  assertSuitable(good, limited);
  expect(() => assertSuitable({ ...good, engineDisk: undefined }, limited)).toThrow(
    /runner.diskMbPerSecond is set, and \/var\/lib\/docker lies on no disk[\s\S]*Move Docker’s data folder/,
  );
  expect(() => assertSuitable(good, { ...limited, isolation: ['gvisor'] })).toThrow(
    /offers gVisor alone, which it does not limit[\s\S]*Remove the setting/,
  );
});

test('the error lists all problems at once', () => {
  const bad = { ...good, userId: 1, hasBridgeFilter: false, ...withEngine({ LiveRestoreEnabled: false }) };
  expect(() => assertSuitable(bad, all)).toThrow(/user 1[\s\S]*br_netfilter[\s\S]*live-restore/);
});

test('a machine that tracks few connections gets a warning and is accepted', () => {
  expect(warningsOf(good, all)).toEqual([]);
  expect(warningsOf({ ...good, trackedConnections: undefined }, all)).toEqual([]);
  const small = { ...good, trackedConnections: 65_536 };
  assertSuitable(small, all);
  expect(warningsOf(small, all)).toEqual([
    {
      reason: expect.stringContaining('tracks 65536 connections of the whole machine, and one instance may have 4096'),
      fix: expect.stringContaining('sysctl -w net.netfilter.nf_conntrack_max=131072'),
    },
  ]);
  expect(warningsOf(small, { ...all, connections: 2_048 })).toEqual([]);
});

test('a machine without conntrack gets a warning that connections outlive their instances', () => {
  expect(warningsOf({ ...good, hasConntrack: false }, all)).toEqual([
    { reason: expect.stringContaining('conntrack is missing'), fix: 'apt-get install conntrack' },
  ]);
});

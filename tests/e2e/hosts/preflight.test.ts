// A machine with a problem is refused, with the reason and the fix. Each problem is planted on an emulated machine and
// removed again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dockerSettings } from '../../../engines/virtual-host/host-image.ts';
import type { RunnerHost } from '../../../engines/virtual-host/runner-host.ts';
import { isFull } from '../../harness/size.ts';
import { type HostDeployment, minutes, startHostDeployment, startMinutes } from './host-deployment.ts';

interface Planted {
  readonly problem: string;
  /** Command that the runner is started through. */
  readonly prefix?: string;
  plant?(machine: RunnerHost): Promise<unknown>;
  undo?(machine: RunnerHost): Promise<unknown>;
  readonly said: readonly RegExp[];
}

const withDocker = (problem: string, settings: Readonly<Record<string, unknown>>, ...said: RegExp[]): Planted => ({
  problem,
  plant: (machine) => machine.configureDocker(settings),
  undo: (machine) => machine.configureDocker({}),
  said,
});

/** `files` is a shell pattern. */
const withoutFile = (problem: string, files: string, then: string, ...said: RegExp[]): Planted => ({
  problem,
  plant: ({ host }) => host.run(`for file in ${files}; do mv $file $file.away; done; ${then}`),
  undo: ({ host }) => host.run(`for file in ${files}.away; do mv $file \${file%.away}; done`),
  said,
});

const planted: readonly Planted[] = [
  {
    problem: 'it does not run as root',
    prefix: 'setpriv --reuid 65534 --clear-groups',
    said: [/The runner runs as user 65534, not as root/, /Start it as root/],
  },
  {
    problem: 'the kernel is old',
    prefix: 'setarch x86_64 --uname-2.6',
    said: [/The kernel is 2\.6\.\S+; the runner needs 5\.10 or newer/, /Update the machine/],
  },
  withoutFile(
    'a program is missing',
    '/usr/bin/fallocate',
    'true',
    /These programs are missing: fallocate/,
    /apt-get install .*util-linux/,
  ),
  {
    problem: 'it may not change nftables',
    prefix: 'setpriv --bounding-set -net_admin',
    said: [/nft cannot make tables: .*Operation not permitted/, /modprobe nf_tables/],
  },
  withoutFile(
    'br_netfilter is missing',
    '/lib/modules/*/kernel/net/bridge/br_netfilter.ko*',
    'modprobe --remove br_netfilter',
    /The kernel module br_netfilter is missing/,
    /modprobe br_netfilter && echo br_netfilter > \/etc\/modules-load.d\/berth.conf/,
  ),
  {
    problem: 'Docker is stopped',
    plant: ({ host }) => host.run('systemctl stop docker.socket docker.service'),
    undo: ({ host }) =>
      host.run('systemctl reset-failed docker.service && systemctl start docker.socket docker.service'),
    said: [/Docker does not answer: /, /systemctl start docker/],
  },
  withDocker(
    'Docker ends containers with itself',
    { 'live-restore': false },
    /Docker ends all containers when it is restarted/,
    /Add \W+live-restore\W+: true to \/etc\/docker\/daemon.json/,
  ),
  withDocker(
    'Docker has no seccomp profile',
    { 'seccomp-profile': 'unconfined' },
    /Docker starts containers without a seccomp profile/,
    /Remove \W+seccomp-profile\W+: \W+unconfined/,
  ),
  withDocker(
    'Docker has another storage driver',
    { 'storage-driver': 'vfs' },
    /storage driver vfs, with which the disk of runc containers cannot be limited/,
    /Set \W+storage-driver\W+: \W+overlay2/,
  ),
  withDocker(
    'gVisor has the machine’s network stack',
    { runtimes: { runsc: { ...dockerSettings.runtimes.runsc, runtimeArgs: ['--network=host'] } } },
    /gVisor uses the network stack of the machine/,
    /Set --network=sandbox in runtimeArgs of runsc/,
  ),
];

/** Longer than a runner waits for an engine that does not answer. */
const refusedSeconds = 240;

describe.skipIf(!isFull)('a machine with one problem', { timeout: 10 * minutes }, () => {
  let deployment: HostDeployment;

  beforeAll(async () => {
    deployment = await startHostDeployment({ name: 'preflight' });
    await deployment.machine.stop();
  }, startMinutes * minutes);
  afterAll(() => deployment?.[Symbol.asyncDispose](), 2 * minutes);

  test.each(planted)('$problem: it is refused with the reason and the fix', async ({ prefix, plant, undo, said }) => {
    const { machine } = deployment;
    await plant?.(machine);
    const output = await machine.tryStart(prefix ?? '', refusedSeconds);
    await undo?.(machine);
    for (const expected of [/This machine cannot run a runner yet/, ...said, /ended with 1$/m])
      expect(output).toMatch(expected);
  });

  test('a host on which the data written by containers cannot be found is refused with the reason and the fix', async () => {
    const { machine } = deployment;
    await machine.configureDocker({ features: { 'containerd-snapshotter': true } });
    // In its own mount namespace the runner does not see new mounts of the machine, such as those of containers.
    const output = await machine.tryStart('unshare --mount', refusedSeconds);
    await machine.configureDocker({});
    expect(output).toMatch(/The runner does not find what containers write/);
    expect(output).toMatch(/Start it where it sees the mounts of the machine/);
    expect(output).toMatch(/ended with 1$/m);
  });

  test('with every problem taken away it starts', async () => {
    await deployment.machine.configure({});
    expect(await deployment.machine.log()).not.toContain('cannot run a runner yet');
  });
});

// A runner on a machine as users have it: Debian 13 with cgroup v2 and Docker 26, in a virtual machine, on runc. Full size
// only: the machine is emulated, and takes minutes. The small size proves the same on this machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../../scripts/engines/fleet/fleet.ts';
import { importTiny, RunnerHost } from '../../scripts/engines/virtual-host/runner-host.ts';
import { isFull } from '../support/size.ts';
import { agent, clientOf, instancesOf, settled } from '../support/workloads.ts';
import { groupFile, guestOf, instanceOf } from './hosts/on-host.ts';

const stores = [{ store: 'overlay2', docker: {} }] as const;
const classes = [{ isolation: 'runc', generation: 'mk2' }] as const;
const minutes = 60_000;
const patience = { timeout: 5 * minutes, interval: 1_000 };
const diskMb = 64;
/** In which everything runs as root, who may write everywhere. */
const boxImage = 'berth-box:latest';

describe.skipIf(!isFull).each(stores)('with the image store $store', { timeout: 20 * minutes }, ({ store, docker }) => {
  let fleet: Fleet;
  let machine: RunnerHost;

  beforeAll(async () => {
    fleet = await startFleet({
      name: `hosts-${store}`,
      workspaces: ['main', 'other'],
      machines: 0,
      gateways: 1,
      settings: {
        BERTH_API_NODE_LOST_AFTER_SECONDS: '600',
        BERTH_PLACEMENT_START_TIMEOUT_SECONDS: '300',
      },
    });
    machine = await RunnerHost.start(fleet, {
      name: 'modern',
      number: 1,
      docker,
      settings: { BERTH_RUNNER_DISK_MB: String(diskMb), BERTH_RUNNER_MEMORY_MB: '8192' },
    });
    await importTiny(machine.host, boxImage, ['ENV PATH=/bin']);
  }, 15 * minutes);
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
  }, 2 * minutes);

  test('it is a machine with cgroup v2 and this image store', async () => {
    expect((await machine.host.run('stat -f -c %T /sys/fs/cgroup')).trim()).toBe('cgroup2fs');
    const driver = (await machine.host.run("docker info --format '{{.Driver}}'")).trim();
    expect(driver).toBe(store === 'overlay2' ? 'overlay2' : 'overlayfs');
  });

  describe.each(classes)('on $isolation', ({ isolation, generation }) => {
    const client = (workspace = 'main') => clientOf(fleet, workspace);
    const guest = (name: string, workspace = 'main') => guestOf(fleet, workspace, name);
    const createSandbox = async (name: string, workspace = 'main', runtime = {}) => {
      const body = { metadata: { name }, spec: { runtime: { image: boxImage, memory: 256, ...runtime } } };
      await client(workspace).post('/sandboxes', body);
      await settled(client(workspace), `/sandboxes/${name}`, ['DEPLOYED'], patience.timeout);
    };
    const readyInPool = async (): Promise<string[]> =>
      (
        await fleet.database
          .selectFrom('instances')
          .select('id')
          .where('pool', 'is not', null)
          .where('state', '=', 'ready')
          .where('ended_at', 'is', null)
          .execute()
      ).map(({ id }) => id);

    beforeAll(async () => {
      await machine.configure({
        BERTH_RUNNER_ISOLATION: JSON.stringify([isolation]),
        BERTH_RUNNER_WARM: JSON.stringify([{ image: boxImage, count: 1, memoryMb: 256 }]),
      });
    }, 10 * minutes);

    test('an agent is deployed and answers through the gateway', async () => {
      const name = `web-${isolation}`;
      await client().post('/agents', agent(name, { generation }));
      await settled(client(), `/agents/${name}`, ['DEPLOYED'], patience.timeout);
      const answer = await fetch(`${fleet.gateways[0]?.url}/main/agents/${name}/`, {
        headers: { authorization: `Bearer ${fleet.key}` },
      });
      expect([answer.status, await answer.text()]).toEqual([200, 'berth\n']);
      await client().delete(`/agents/${name}`);
    });

    test('a sandbox is adopted from the warm pool, with its own limit of memory', async () => {
      await expect.poll(readyInPool, patience).toHaveLength(1);
      const [waiting] = await readyInPool();
      const memory = 512;
      await createSandbox(`box-${isolation}`, 'main', { memory });
      const [instance] = await instancesOf(fleet, `box-${isolation}`);
      expect(instance?.id).toBe(waiting);
      expect(await guest(`box-${isolation}`).exec('echo hello')).toBe('hello\n');
      const limit = Number(await groupFile(machine.host, await instanceOf(fleet, `box-${isolation}`), 'memory.max'));
      expect(limit / 1024 / 1024).toBe(memory);
    });

    test('a workload that needs more memory than it has fails with that reason', async () => {
      const name = `hungry-${isolation}`;
      await importTiny(machine.host, 'berth-hungry:latest', ['ENV PATH=/bin', 'CMD ["busybox","tail","/dev/zero"]']);
      await client().post('/agents', agent(name, { generation, image: 'berth-hungry:latest' }));
      const { status, events } = await settled(client(), `/agents/${name}`, ['FAILED'], patience.timeout);
      expect(status).toBe('FAILED');
      expect(JSON.stringify(events)).toMatch(/Out of memory: it needs more than its 128 MB/);
      await client().delete(`/agents/${name}`);
    });

    test('one core of two is all that a sandbox gets', async () => {
      const box = guest(`box-${isolation}`);
      const id = await instanceOf(fleet, `box-${isolation}`);
      const used = async () => Number(/usage_usec (\d+)/.exec(await groupFile(machine.host, id, 'cpu.stat'))?.[1]);
      const uptime = async () => Number((await machine.host.run('cut -d" " -f1 /proc/uptime')).trim());
      await box.start({ command: 'for i in 1 2 3 4; do (while :; do :; done) & done; sleep 40; kill $(jobs -p)' });
      await sleep(5_000);
      const [usedBefore, before] = [await used(), await uptime()];
      await sleep(20_000);
      const cores = ((await used()) - usedBefore) / 1e6 / ((await uptime()) - before);
      console.log(`${store}, ${isolation}: four loops used ${cores.toFixed(2)} of two cores`);
      expect(cores).toBeLessThan(1.2);
      expect(Number(/nr_throttled (\d+)/.exec(await groupFile(machine.host, id, 'cpu.stat'))?.[1])).toBeGreaterThan(0);
    });

    test('a sandbox is frozen, takes no CPU, and wakes for a call with all that ran in it', async () => {
      const name = `box-${isolation}`;
      const box = guest(name);
      await box.exec('echo kept > /tmp/file');
      const asleep = async () => {
        await client().put(`/sandboxes/${name}/stop`, {});
        return (await client().get(`/sandboxes/${name}`)).body.state;
      };
      await expect.poll(asleep, patience).toBe('STANDBY');
      const id = await instanceOf(fleet, name);
      expect(await groupFile(machine.host, id, 'cgroup.events')).toContain('frozen 1');
      const used = async () => Number(/usage_usec (\d+)/.exec(await groupFile(machine.host, id, 'cpu.stat'))?.[1]);
      const before = await used();
      await sleep(5_000);
      expect(await used()).toBe(before);
      expect(await box.exec('cat /tmp/file')).toBe('kept\n');
    });

    test('tenants are apart, and a workspace’s own instances reach each other', async () => {
      await createSandbox(`near-${isolation}`);
      await createSandbox(`far-${isolation}`, 'other');
      const [near, far] = [await instancesOf(fleet, `near-${isolation}`), await instancesOf(fleet, `far-${isolation}`)];
      const reaches = (address: string | null | undefined) =>
        guest(`box-${isolation}`).exec(
          `busybox nc -w 10 ${address} 8080 </dev/null 2>/dev/null && echo reached || echo not`,
        );
      expect(await reaches(near[0]?.address)).toBe('reached\n');
      expect(await reaches(far[0]?.address)).toBe('not\n');
      await client('other').delete(`/sandboxes/far-${isolation}`);
    });

    test('who writes more than allowed is held to the limit', async () => {
      const name = `near-${isolation}`;
      const writing = guest(name).exec(`busybox dd if=/dev/zero of=/tmp/big bs=1048576 count=${4 * diskMb} 2>&1; echo`);
      await writing.catch(() => {});
      const { events } = await settled(client(), `/sandboxes/${name}`, ['FAILED'], patience.timeout);
      expect(JSON.stringify(events)).toContain(`It wrote more than the ${diskMb} MB that it may.`);
      expect(await machine.host.run('df --output=pcent /')).not.toMatch(/100%/);
    });
  });
});

// A runner on machines like those of users, emulated, with both isolation classes. In the small size other tests prove
// the same on this machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importTiny } from '../../../engines/virtual-host/runner-host.ts';
import { isFull } from '../../harness/size.ts';
import { agent, clientOf, instancesOf, settled } from '../../harness/workloads.ts';
import {
  boxImage,
  type HostDeployment,
  hosts,
  minutes,
  patience,
  startHostDeployment,
  startMinutes,
} from './host-deployment.ts';
import { callAgent, createSandbox, groupFile, guestOf, instanceOf, putToSleep, readyInPool } from './on-host.ts';

const classes = [
  // Under gVisor a warm sandbox keeps the memory size that it was made with.
  { isolation: 'runc', generation: 'mk2', adoptedMb: 512 },
  { isolation: 'gvisor', generation: 'mk3', adoptedMb: 256 },
] as const;
/** The same as gVisor's own limit in `dockerSettings`. */
const diskMb = 64;

describe.skipIf(!isFull).each(hosts)('$host', { timeout: 20 * minutes }, ({ release, docker, version, driver }) => {
  let deployment: HostDeployment;
  const client = (workspace = 'main') => clientOf(deployment.fleet, workspace);
  const guest = (name: string, workspace = 'main') => guestOf(deployment.fleet, workspace, name);

  beforeAll(async () => {
    const settings = { BERTH_RUNNER_DISK_MB: String(diskMb), BERTH_RUNNER_MEMORY_MB: '8192' };
    deployment = await startHostDeployment({ name: release, release, docker, settings });
  }, startMinutes * minutes);
  afterAll(() => deployment?.[Symbol.asyncDispose](), 2 * minutes);

  test('it has cgroup v2, this Docker and this image store', async () => {
    const { host } = deployment.machine;
    expect((await host.run('stat -f -c %T /sys/fs/cgroup')).trim()).toBe('cgroup2fs');
    const [ofDocker, stores] = (await host.run("docker info --format '{{.ServerVersion}} {{.Driver}}'"))
      .trim()
      .split(' ');
    expect(ofDocker).toMatch(version);
    expect(stores).toBe(driver);
  });

  describe.each(classes)('on $isolation', ({ isolation, generation, adoptedMb }) => {
    const name = (what: string) => `${what}-${isolation}`;

    beforeAll(async () => {
      await deployment.machine.configure({
        BERTH_RUNNER_ISOLATION: JSON.stringify([isolation]),
        BERTH_RUNNER_WARM: JSON.stringify([{ image: boxImage, count: 1, memoryMb: 256 }]),
        BERTH_RUNNER_DISK_MB_PER_SECOND: undefined,
      });
    }, 10 * minutes);
    afterAll(async () => {
      for (const what of ['box', 'writer', 'slow']) await client().delete(`/sandboxes/${name(what)}`);
    });

    test('an agent is deployed and answers through the gateway', async () => {
      await client().post('/agents', agent(name('web'), { generation }));
      await settled(client(), `/agents/${name('web')}`, ['DEPLOYED'], patience.timeout);
      expect(await callAgent(deployment.fleet, name('web'))).toEqual({ status: 200, text: 'berth\n' });
      await client().delete(`/agents/${name('web')}`);
    });

    test('a sandbox is adopted from the warm pool, with its limit of memory', async () => {
      await expect.poll(() => readyInPool(deployment.fleet), patience).toHaveLength(1);
      const [waiting] = await readyInPool(deployment.fleet);
      await createSandbox(deployment.fleet, name('box'), 'main', { memory: adoptedMb });
      const id = await instanceOf(deployment.fleet, name('box'));
      expect(id).toBe(waiting);
      expect(await guest(name('box')).exec('echo hello')).toBe('hello\n');
      const limit = Number(await groupFile(deployment.machine.host, id, 'memory.max'));
      expect(limit / bytesPerMb).toBe(adoptedMb);
    });

    test('a workload that needs more memory than it has fails with that reason', async () => {
      const image = 'berth-hungry:latest';
      await importTiny(deployment.machine.host, image, ['ENV PATH=/bin', 'CMD ["busybox","tail","/dev/zero"]']);
      await client().post('/agents', agent(name('hungry'), { generation, image }));
      const { events } = await settled(client(), `/agents/${name('hungry')}`, ['FAILED'], patience.timeout);
      expect(JSON.stringify(events)).toMatch(/Out of memory: it needs more than its 128 MB/);
      await client().delete(`/agents/${name('hungry')}`);
    });

    test('one core of two is all that a sandbox gets', async () => {
      const { host } = deployment.machine;
      const id = await instanceOf(deployment.fleet, name('box'));
      const used = async () => Number(/usage_usec (\d+)/.exec(await groupFile(host, id, 'cpu.stat'))?.[1]);
      const uptime = async () => Number((await host.run('cut -d" " -f1 /proc/uptime')).trim());
      const command = 'for i in 1 2 3 4; do (while :; do :; done) & done; sleep 40; kill $(jobs -p)';
      await guest(name('box')).start({ command });
      await sleep(5_000);
      const [usedBefore, before] = [await used(), await uptime()];
      await sleep(20_000);
      const cores = ((await used()) - usedBefore) / 1e6 / ((await uptime()) - before);
      console.log(`${release}, ${isolation}: four loops used ${cores.toFixed(2)} of two cores`);
      expect(cores).toBeLessThan(1.2);
      expect(Number(/nr_throttled (\d+)/.exec(await groupFile(host, id, 'cpu.stat'))?.[1])).toBeGreaterThan(0);
    });

    test('a sandbox is frozen, takes no CPU, and wakes for a call with all that ran in it', async () => {
      const { host } = deployment.machine;
      const box = guest(name('box'));
      await box.exec('echo kept > /tmp/file');
      await expect.poll(() => putToSleep(deployment.fleet, name('box')), patience).toBe('STANDBY');
      const id = await instanceOf(deployment.fleet, name('box'));
      if (isolation === 'runc') expect(await groupFile(host, id, 'cgroup.events')).toContain('frozen 1');
      const used = async () => Number(/usage_usec (\d+)/.exec(await groupFile(host, id, 'cpu.stat'))?.[1]);
      // Work that was under way at the stop may still use CPU for a moment.
      const usedMeanwhile = async () => {
        const before = await used();
        await sleep(5_000);
        return (await used()) - before;
      };
      await expect.poll(usedMeanwhile, patience).toBe(0);
      expect(await box.exec('cat /tmp/file')).toBe('kept\n');
    });

    test('tenants are apart, and so are the instances of one workspace', async () => {
      // Agents are used because they do not sleep, and they close a connection that sends no request.
      const places = [
        { agents: client(), of: name('near') },
        { agents: client('other'), of: name('far') },
      ];
      for (const { agents, of } of places) {
        await agents.post('/agents', agent(of, { generation }));
        await settled(agents, `/agents/${of}`, ['DEPLOYED'], patience.timeout);
      }
      const reaches = async (of: string) => {
        const [instance] = await instancesOf(deployment.fleet, of);
        const connect = `busybox nc -w 10 ${instance?.address} 8080 </dev/null 2>/dev/null`;
        return guest(name('box')).exec(`${connect} && echo reached || echo not`);
      };
      expect(await reaches(name('near'))).toBe('not\n');
      expect(await reaches(name('far'))).toBe('not\n');
      for (const { agents, of } of places) await agents.delete(`/agents/${of}`);
    });

    test('a sandbox that writes more than allowed is held to the limit', async () => {
      const { host } = deployment.machine;
      await createSandbox(deployment.fleet, name('writer'));
      // On runc what was written is counted, and on an emulated machine each count takes seconds.
      const [written, allowed] = isolation === 'runc' ? [32, 24] : [4, 3];
      // Not below /tmp: gVisor keeps an empty /tmp in memory.
      const write = `busybox dd if=/dev/zero of=/big bs=1048576 count=${written * diskMb} 2>/dev/null`;
      const freeMb = async () => Number((await host.run('df --output=avail --block-size=1M / | tail -1')).trim());
      const before = await freeMb();
      if (isolation === 'gvisor') {
        // gVisor refuses the write itself, and the sandbox goes on. Its output needs room on the same disk.
        const look = 'size=$(busybox wc -c < /big); busybox rm /big; echo "$size bytes"';
        const told = await guest(name('writer')).exec(`${write}; ${look}`);
        expect(told).toMatch(/^\d+ bytes\n$/);
        const kept = Number.parseInt(told, 10) / bytesPerMb;
        expect(kept).toBeGreaterThan(diskMb / 2);
        expect(kept).toBeLessThanOrEqual(diskMb);
      } else {
        await guest(name('writer'))
          .exec(write)
          .catch(() => {});
        const { events } = await settled(client(), `/sandboxes/${name('writer')}`, ['FAILED'], patience.timeout);
        expect(JSON.stringify(events)).toContain(`It wrote more than the ${diskMb} MB that it may.`);
      }
      expect(before - (await freeMb())).toBeLessThan(allowed * diskMb);
    });

    // gVisor does not start with such a limit: systemd refuses its request.
    test.runIf(isolation === 'runc')(
      'what a sandbox writes in a second is limited, also what goes through the cache',
      async () => {
        const [megabytes, perSecond] = [16, 2];
        await deployment.machine.configure({
          BERTH_RUNNER_DISK_MB_PER_SECOND: String(perSecond),
          BERTH_RUNNER_WARM: '[]',
        });
        await createSandbox(deployment.fleet, name('slow'));
        const id = await instanceOf(deployment.fleet, name('slow'));
        expect(await groupFile(deployment.machine.host, id, 'io.max')).toContain(`wbps=${perSecond * bytesPerMb}`);
        const startedAt = performance.now();
        const dd = `busybox dd if=/dev/zero of=/file bs=1048576 count=${megabytes} conv=fsync 2>&1`;
        expect(await guest(name('slow')).exec(dd)).toContain(`${megabytes}+0 records out`);
        const seconds = (performance.now() - startedAt) / 1_000;
        console.log(
          `${release}, ${isolation}: ${megabytes} MB at ${perSecond} MB a second took ${seconds.toFixed(1)} s`,
        );
        expect(seconds).toBeGreaterThan((megabytes / perSecond) * 0.8);
      },
    );
  });
});

// A machine reboots with agents, sandboxes awake and asleep, and a warm pool: each ends in its expected state, and
// nothing is left over.
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { isFull } from '../../harness/size.ts';
import { agent, clientOf, settled } from '../../harness/workloads.ts';
import {
  boxImage,
  type HostDeployment,
  minutes,
  patience,
  startHostDeployment,
  startMinutes,
} from './host-deployment.ts';
import { callAgent, createSandbox, guestOf, putToSleep, readyInPool } from './on-host.ts';

const slots = 2;
/** Reserved for a warm sandbox, of whatever size it will be. */
const warmMb = 64;

const cases = [
  { isolation: 'runc', generation: 'mk2', way: 'reboot', filesAreKept: true },
  { isolation: 'runc', generation: 'mk2', way: 'resetHard', filesAreKept: true },
  // The files of the sandbox live in gVisor's own layer, which is lost with gVisor's kernel.
  { isolation: 'gvisor', generation: 'mk3', way: 'reboot', filesAreKept: false },
] as const;

describe.skipIf(!isFull)('after a reboot', { timeout: 30 * minutes }, () => {
  let deployment: HostDeployment;
  const client = () => clientOf(deployment.fleet);

  beforeAll(async () => {
    const settings = { BERTH_RUNNER_MEMORY_MB: '8192', BERTH_RUNNER_SLOTS: String(slots) };
    deployment = await startHostDeployment({ name: 'reboot', settings });
  }, startMinutes * minutes);
  afterAll(() => deployment?.[Symbol.asyncDispose](), 2 * minutes);

  /** What is left on the machine and in the database tells more than the number that is wrong. */
  async function tellAll(): Promise<void> {
    const columns = ['id', 'pool', 'state', 'desired', 'reserved_mb', 'ended_at'] as const;
    const rows = await deployment.fleet.database.selectFrom('instances').select(columns).execute();
    console.log(JSON.stringify(rows, null, 1));
    console.log(await deployment.machine.host.run('docker ps --all; uptime'));
    console.log(await deployment.machine.lastLines());
  }

  test.each(cases)('$isolation, by $way', async ({ isolation, generation, way, filesAreKept }) => {
    onTestFailed(tellAll);
    const { fleet, machine } = deployment;
    const named = (what: string) => `${what}-${isolation}-${way.toLowerCase()}`;
    const [web, asleep] = [named('web'), named('asleep')];
    const sandboxes = [named('awake'), asleep];
    await machine.configure({
      BERTH_RUNNER_ISOLATION: JSON.stringify([isolation]),
      BERTH_RUNNER_WARM: JSON.stringify([{ image: boxImage, count: 1, memoryMb: 256 }]),
    });
    await client().post('/agents', agent(web, { generation }));
    await settled(client(), `/agents/${web}`, ['DEPLOYED'], patience.timeout);
    for (const name of sandboxes) {
      await createSandbox(fleet, name);
      await guestOf(fleet, 'main', name).exec(`echo ${name} > /file`);
      await guestOf(fleet, 'main', name).start({ command: 'sleep 100000', name: 'sleeper' });
    }
    await expect.poll(() => readyInPool(fleet), patience).toHaveLength(1);
    await expect.poll(() => putToSleep(fleet, asleep), patience).toBe('STANDBY');

    await machine.host[way]();
    await machine.untilReady();
    await expect.poll(() => callAgent(fleet, web).catch(String), patience).toEqual({ status: 200, text: 'berth\n' });
    for (const name of sandboxes) await expectState(name, filesAreKept);
    await expect.poll(() => readyInPool(fleet), patience).toHaveLength(1);
    const uptime = Number((await machine.host.run('cut -d" " -f1 /proc/uptime')).trim());
    console.log(`${isolation}, ${way}: all as it should be ${uptime.toFixed(0)} s after the start of the machine`);

    await expect.poll(leftOver, patience).toEqual([]);
    for (const name of sandboxes) await client().delete(`/sandboxes/${name}`);
    await client().delete(`/agents/${web}`);
    // The warm sandbox alone is left.
    await expect.poll(reservedMb, patience).toEqual({ runner: warmMb, instances: warmMb });
  });

  async function expectState(name: string, filesAreKept: boolean): Promise<void> {
    if (filesAreKept) {
      const guest = guestOf(deployment.fleet, 'main', name);
      await expect.poll(() => guest.exec('cat /file').catch(String), patience).toBe(`${name}\n`);
      expect(await guest.exec('busybox ps | busybox grep -c "[s]leep 100000"')).toBe('0\n');
      const { events } = (await client().get(`/sandboxes/${name}`)).body;
      expect(JSON.stringify(events)).toMatch(/is started again. Its files are kept; processes that ran in it are not./);
    } else {
      const { events } = await settled(client(), `/sandboxes/${name}`, ['FAILED'], patience.timeout);
      expect(JSON.stringify(events)).toMatch(/its files are lost with it/);
    }
  }

  /** Containers, links and mounts on the machine that no instance and no slot explains. */
  async function leftOver(): Promise<string[]> {
    const { host } = deployment.machine;
    const live = await deployment.fleet.database
      .selectFrom('instances')
      .select('id')
      .where('ended_at', 'is', null)
      .where('desired', '=', 'running')
      .execute();
    const lines = async (command: string) => (await host.run(command)).split('\n').filter(Boolean);
    // A slot has no instance, and its line would be empty without the first word.
    const containers = await lines('docker ps --all --format \'of {{.Label "berth.instance"}}\'');
    const ofInstances = containers.map((line) => line.slice('of '.length)).filter((id) => id !== '');
    const ofSlots = containers.length - ofInstances.length;
    const links = (await lines('ip -o link show master berth0')).length;
    const mounts = (await lines('findmnt --noheadings --raw --types overlay --output TARGET')).length;
    const running = (await lines('docker ps --quiet')).length;
    const expectedSlots = live.length + slots;
    return [
      ...ofInstances.filter((id) => !live.some((instance) => instance.id === id)).map((id) => `container of ${id}`),
      ...(ofSlots === expectedSlots ? [] : [`${ofSlots} slots, expected ${expectedSlots}`]),
      ...(links === ofSlots ? [] : [`${links} links, ${ofSlots} slots`]),
      ...(mounts === running ? [] : [`${mounts} mounts, ${running} containers run`]),
    ];
  }

  /** Memory reserved according to the database: in the runner's row, and by its live instances. */
  async function reservedMb() {
    const { database } = deployment.fleet;
    const { reserved_mb: runner } = await database
      .selectFrom('runners')
      .select('reserved_mb')
      .executeTakeFirstOrThrow();
    const rows = await database.selectFrom('instances').select('reserved_mb').where('ended_at', 'is', null).execute();
    return { runner, instances: rows.reduce((sum, { reserved_mb }) => sum + reserved_mb, 0) };
  }
});

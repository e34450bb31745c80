// Two machines, each with its Docker and its runner, share the work; when one is lost, the other takes over its
// instances.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callDocker } from '../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { berthOf, deployAgent, instancesOf } from '../harness/workloads.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({
    name: 'runners',
    workspaces: ['main'],
    machines: 2,
  });
});
afterAll(() => fleet[Symbol.asyncDispose]());

const instanceIds = async ({ dockerUrl }: Machine): Promise<string[]> => {
  const listed: { Labels: Record<string, string> }[] = JSON.parse(
    (await callDocker(dockerUrl, 'GET /containers/json')).body.toString(),
  );
  return listed.flatMap(({ Labels }) => Labels['berth.instance'] ?? []);
};

const placed = async () => (await Promise.all(names.map((name) => instancesOf(fleet, name)))).flat();

test('two machines share the work', async () => {
  await Promise.all(names.map((name) => deployAgent(fleet, name, { generation: 'mk2' })));
  const byRunner = Map.groupBy(await placed(), ({ runner }) => runner);
  expect([...byRunner.keys()].sort()).toEqual(['machine-1', 'machine-2']);
  for (const machine of fleet.machines)
    expect((await instanceIds(machine)).sort()).toEqual((byRunner.get(machine.name) ?? []).map(({ id }) => id).sort());
});

test('a runner that is only restarted keeps its containers', async () => {
  const [machine] = fleet.machines;
  if (machine === undefined) throw new Error('no machine');
  const before = await instanceIds(machine);
  await machine.runner.kill();
  await machine.runner.start();
  await sleep(3_000);
  expect((await instanceIds(machine)).sort()).toEqual(before.sort());
  expect((await placed()).every(({ state }) => state === 'ready')).toBe(true);
});

test('the instances of a silent machine are placed elsewhere, and removed from the machine when it returns', async () => {
  const [stopped, other] = fleet.machines;
  if (stopped === undefined || other === undefined) throw new Error('two machines are needed');
  const held = await instanceIds(stopped);
  expect(held.length).toBeGreaterThan(0);
  await stopped.runner.stop();
  const stoppedAt = Date.now();
  const moved = async (): Promise<boolean> => {
    const live = await placed();
    return (
      live.length === names.length && live.every(({ runner, state }) => runner === other.name && state === 'ready')
    );
  };
  await expect.poll(moved, { timeout: 90_000, interval: 500 }).toBe(true);
  console.log(`moved ${held.length} instances ${((Date.now() - stoppedAt) / 1000).toFixed(1)} s after the stop`);
  for (const name of names) expect((await berthOf(fleet).agents.get(name)).status).toBe('DEPLOYED');
  expect((await instanceIds(stopped)).sort()).toEqual(held.sort());

  await stopped.runner.start();
  await expect.poll(() => instanceIds(stopped), { timeout: 60_000, interval: 200 }).toEqual([]);
  expect(await moved()).toBe(true);
});

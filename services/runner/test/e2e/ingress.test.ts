// Clients reach instances through their runner, and an instance that is removed drains its open connections first. A
// real runner, real containers, both isolation classes.
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLine } from '@berth/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callDocker } from '../../../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../../../engines/fleet/fleet.ts';
import { agent, clientOf, instancesOf, isolationsOf, settled } from '../../../../tests/harness/workloads.ts';
import { openLease, openTunnel, runnerOf } from './ingress/gateway-side.ts';

/** Longer than any test here takes. */
const drainSeconds = 120;
let fleet: Fleet;
beforeAll(async () => {
  const settings = {
    BERTH_RUNNER_DRAIN_SECONDS: String(drainSeconds),
    // A runner that starts slowly is not lost: its instances must not be placed again meanwhile.
    BERTH_API_NODE_LOST_AFTER_SECONDS: '300',
  };
  fleet = await startFleet({ name: 'ingress', workspaces: ['main'], machines: 1, settings });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const client = () => clientOf(fleet);
const machine = () => {
  const [first] = fleet.machines;
  if (first === undefined) throw new Error('the fleet has no machine');
  return first;
};
const isRunning = async (id: string): Promise<boolean> => {
  const listed = await callDocker(machine().dockerUrl, 'GET /containers/json');
  const containers: { Names: string[] }[] = JSON.parse(listed.body.toString());
  return containers.some(({ Names }) => Names.includes(`/berth-${id}`));
};
const deploy = async (name: string, generation: 'mk2' | 'mk3'): Promise<string> => {
  await client().post('/agents', agent(name, { generation }));
  expect(await settled(client(), `/agents/${name}`)).toMatchObject({ status: 'DEPLOYED' });
  const [instance] = await instancesOf(fleet, name);
  if (instance === undefined) throw new Error('no instance');
  return instance.id;
};
/** Closes the tunnel at once: an open tunnel would delay the removal of the instance. */
const answerFor = async (id: string): Promise<string> => {
  const { socket, answer } = await openTunnel(fleet, id);
  socket.destroy();
  return answer;
};
const request = 'GET / HTTP/1.0\r\nhost: a\r\n\r\n';

describe.each(isolationsOf('runc'))('on $isolation', ({ isolation, generation }) => {
  test('a request through the tunnel reaches the container', async () => {
    const id = await deploy(`web-${isolation}`, generation);
    const { socket, answer } = await openTunnel(fleet, id);
    expect(answer).toBe('open');
    socket.end(request);
    expect(await text(socket)).toMatch(/^HTTP\/1\.\d 200 OK[\s\S]*\r\n\r\nberth\n$/);
  });

  test('removal under an open tunnel waits for it, and admits no new connection', async () => {
    const name = `held-${isolation}`;
    const id = await deploy(name, generation);
    const { socket } = await openTunnel(fleet, id);
    await client().delete(`/agents/${name}`);
    await expect.poll(() => answerFor(id), { timeout: 60_000 }).toBe('unknown');
    await sleep(3_000);
    expect(await isRunning(id)).toBe(true);
    socket.end(request);
    expect(await text(socket)).toMatch(/berth\n$/);
    await expect.poll(() => isRunning(id), { timeout: 60_000 }).toBe(false);
  });

  test('a lease tells the address, and its holder is asked to leave before the container goes', async () => {
    const name = `lease-${isolation}`;
    const id = await deploy(name, generation);
    const { socket, answer } = await openLease(machine(), id);
    if (answer.lease !== 'held') throw new Error('no lease');
    const url = `http://${answer.address}:${answer.port}/`;
    await client().delete(`/agents/${name}`);
    expect(await readLine(socket, 100)).toBe('{"lease":"over"}');
    await sleep(1_000);
    expect(machine().inside('busybox', 'wget', '-q', '-O', '-', url)).toBe('berth\n');
    expect(await openLease(machine(), id)).toMatchObject({ answer: { lease: 'unknown' } });
    socket.end();
    await expect.poll(() => isRunning(id), { timeout: 60_000 }).toBe(false);
  });

  test('a container that is killed breaks its connections off, and is reached again when it is back', async () => {
    const id = await deploy(`crash-${isolation}`, generation);
    const [{ socket }, lease] = [await openTunnel(fleet, id), await openLease(machine(), id)];
    const ended = Promise.allSettled([text(socket), text(lease.socket)]);
    socket.write('GET ');
    await callDocker(machine().dockerUrl, `POST /containers/berth-${id}/kill`);
    await ended;
    lease.socket.destroy();
    await expect.poll(() => answerFor(id), { timeout: 60_000 }).toBe('open');
  });
});

test('an instance without connections is removed at once', async () => {
  const id = await deploy('quick', 'mk2');
  await client().delete('/agents/quick');
  // An open connection would delay the removal by `drainSeconds`.
  await expect.poll(() => isRunning(id), { timeout: (drainSeconds * 1_000) / 2, interval: 50 }).toBe(false);
});

test('a runner that starts again is reached again, and has the same instances', async () => {
  const id = await deploy('steady', 'mk2');
  const before = await runnerOf(fleet);
  await machine().runner.kill();
  await machine().runner.start();
  await expect.poll(async () => (await runnerOf(fleet)).session, { timeout: 60_000 }).toBeGreaterThan(before.session);
  await expect.poll(() => answerFor(id), { timeout: 60_000 }).toBe('open');
});

test('a runner that stops lets an open tunnel finish, and leaves the container', async () => {
  const id = await deploy('patient', 'mk2');
  const { socket } = await openTunnel(fleet, id);
  const stopped = machine().runner.stop();
  await sleep(1_500);
  socket.end(request);
  expect(await text(socket)).toMatch(/berth\n$/);
  await stopped;
  expect(await isRunning(id)).toBe(true);
  await machine().runner.start();
});

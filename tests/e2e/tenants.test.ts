// Tenants are isolated: tried from inside containers of a running deployment, and again after events that could have
// opened a way: a restarted runner, a restarted engine, Berth's table deleted by hand. The firewall is the host
// kernel's, so the small size tests runc.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildImage } from '../../engines/build-image.ts';
import { callDocker } from '../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { freePort } from '../../engines/free-port.ts';
import { wireAddresses } from '../../engines/wire.ts';
import { execute } from '../harness/execute.ts';
import { Listener } from '../harness/listener.ts';
import { agent, clientOf, instancesOf, isolationsOf, settled } from '../harness/workloads.ts';

const image = 'berth-probe:latest';
const imageFolder = join(import.meta.dirname, '../../services/runner/test/e2e/network/image');
const serve = join(imageFolder, 'serve.mjs');

/** Addresses on the other side of the machine's wire; the machine reaches all of them. */
const internet = '12.34.56.78';
const closed = ['10.77.0.1', '169.254.169.254', '172.20.0.9', '192.168.7.7'];

let fleet: Fleet;
let nodePort: number;
let gatewayPort: number;
let otherPort: number;
const listeners: Listener[] = [];

const machine = (): Machine => {
  const [first] = fleet.machines;
  if (first === undefined) throw new Error('the fleet has no machine');
  return first;
};

beforeAll(async () => {
  [gatewayPort, otherPort] = [await freePort(), await freePort()];
  fleet = await startFleet({
    name: 'tenants',
    workspaces: ['main', 'other'],
    machines: 1,
    settings: {
      BERTH_RUNNER_GATEWAYS: JSON.stringify([{ address: wireAddresses(1)[0], port: gatewayPort }]),
      // The runner is down for a while on purpose: its instances must not be placed again meanwhile.
      BERTH_API_NODE_LOST_AFTER_SECONDS: '300',
    },
  });
  const { dockerUrl, netns, wire, nodePort: port } = machine();
  nodePort = port;
  for (const address of [internet, ...closed]) execFileSync('ip', ['addr', 'add', `${address}/32`, 'dev', wire]);
  await buildImage(dockerUrl, image, imageFolder);
  for (const place of [undefined, netns]) listeners.push(await Listener.start(serve, [gatewayPort, otherPort], place));
}, 600_000);

afterAll(async () => {
  for (const listener of listeners) await listener[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
});

const both = (address: string, port: number): string[] => [`tcp:${address}:${port}`, `udp:${address}:${port}`];

interface Probing {
  /** The container that probes. */
  readonly container: string;
  readonly open: readonly string[];
  readonly shut: readonly string[];
}

async function deployed(
  workspace: string,
  name: string,
  generation: 'mk2' | 'mk3',
): Promise<{ id: string; address: string }> {
  const client = clientOf(fleet, workspace);
  await client.post('/agents', agent(name, { image, generation, memory: 256 }));
  await settled(client, `/agents/${name}`, ['DEPLOYED']);
  const [instance] = await instancesOf(fleet, name);
  if (instance?.address == null) throw new Error(`${name} has no address`);
  return { id: `berth-${instance.id}`, address: instance.address };
}

async function prepare(generation: 'mk2' | 'mk3'): Promise<Probing> {
  const one = await deployed('main', `a-${generation}`, generation);
  const neighbour = await deployed('main', `b-${generation}`, generation);
  const stranger = await deployed('other', `c-${generation}`, generation);
  const { outside, address: own } = machine();
  return {
    container: one.id,
    open: [`tcp:${outside}:${gatewayPort}`, ...both(internet, otherPort)].sort(),
    shut: [
      ...both(neighbour.address, 8080),
      ...both(stranger.address, 8080),
      // The machine itself: its bridge and its own address, on ports with and without a listener.
      ...['100.96.0.1', own].flatMap((address) => [gatewayPort, otherPort, 22].flatMap((port) => both(address, port))),
      // Ports other than the gateway's: the node protocol, and another service of the api's machine.
      ...[nodePort, otherPort].flatMap((port) => both(outside, port)),
      `udp:${outside}:${gatewayPort}`,
      ...closed.flatMap((address) => both(address, otherPort)),
    ],
  };
}

async function expectApart({ container, open, shut }: Probing, when: string): Promise<void> {
  const reached = await execute(machine().dockerUrl, container, ['node', '/probe.mjs', ...open, ...shut]);
  expect({ when, reached: reached.sort() }).toEqual({ when, reached: open });
  for (const listener of listeners) listener.check();
}

/** IPv6 probe: the container must have no IPv6 address, and the machine's IPv6 address must not answer. */
const ipv6Probe = () => `
  const { networkInterfaces } = require('node:os');
  const { connect } = require('node:net');
  const own = Object.values(networkInterfaces()).flat().filter(({ family, internal }) => family === 'IPv6' && !internal);
  console.log('own ' + own.length);
  const socket = connect(${otherPort}, 'fd77::1');
  socket.on('connect', () => { console.log('reached'); process.exit(0); });
  socket.on('error', () => { console.log('refused'); process.exit(0); });
  setTimeout(() => { console.log('silent'); process.exit(0); }, 1500);
`;

describe.each(isolationsOf('runc'))('on $isolation', ({ generation }) => {
  let probing: Probing;
  beforeAll(async () => {
    probing = await prepare(generation);
  });

  test('every service that containers must not reach answers the machine itself', () => {
    const targets = probing.shut.filter((target) => !target.includes(`:${nodePort}`) && !target.endsWith(':22'));
    const probe = join(imageFolder, 'probe.mjs');
    const answered = machine()
      .inside(process.execPath, probe, ...targets)
      .split('\n')
      .filter(Boolean);
    expect(answered.sort()).toEqual(targets.sort());
  });

  test('an instance reaches the gateway and the internet, and nothing else: no other instance of its workspace either', async () => {
    await expectApart(probing, 'at first');
  });

  test('neither the engine’s socket nor anything else of the machine is mounted', async () => {
    const { dockerUrl } = machine();
    const inspected = JSON.parse(
      (await callDocker(dockerUrl, `GET /containers/${probing.container}/json`)).body.toString(),
    );
    expect(inspected.Mounts).toEqual([]);
    expect(
      await execute(dockerUrl, probing.container, [
        'sh',
        '-c',
        'ls /var/run/docker.sock /run/docker.sock 2>/dev/null; echo end',
      ]),
    ).toEqual(['end']);
  });

  test('IPv6 leads nowhere', async () => {
    execFileSync('ip', ['-6', 'addr', 'replace', 'fd77::1/128', 'dev', machine().wire]);
    const said = await execute(machine().dockerUrl, probing.container, ['node', '-e', ipv6Probe()]);
    expect(said[0]).toBe('own 0');
    expect(said[1]).not.toBe('reached');
  });

  test('right after the runner was killed and started again', async () => {
    await machine().runner.kill();
    await expectApart(probing, 'while the runner is down');
    await machine().runner.start();
    await expectApart(probing, 'right after the restart');
  });

  test('right after the engine was killed and started again', async () => {
    machine().killDocker();
    await sleep(500);
    await machine().startDocker();
    await expectApart(probing, 'right after the restart');
  });

  test('our table deleted by hand: the runner notices and mends it', async () => {
    machine().inside('nft', 'delete', 'table', 'inet', 'berth');
    const startedAt = Date.now();
    const isThere = (): boolean => {
      try {
        return machine().inside('nft', 'list', 'table', 'inet', 'berth').includes('admitted');
      } catch {
        return false;
      }
    };
    await expect.poll(isThere, { timeout: 60_000, interval: 100 }).toBe(true);
    console.log(`mended after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    await expectApart(probing, 'after the table was mended');
  });
});

import { randomUUID } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@berth/telemetry';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { baseImage } from '../../../../engines/base-image.ts';
import { gvisor } from '../../../../engines/gvisor.ts';
import { networkTools } from '../../../../engines/network-tools.ts';
import { isolationsOf } from '../../../../tests/harness/workloads.ts';
import { RunnerConfig } from '../../src/config.ts';
import { createDockerDriver } from '../../src/driver/docker-driver.ts';
import { containerLabels, type Driver } from '../../src/driver/driver.ts';
import { createNetwork } from '../../src/network/create-network.ts';
import type { Network } from '../../src/network/network.ts';
import type { Membership } from '../../src/network/rules/membership.ts';
import type { NetworkSlot } from '../../src/network/slots/network-slot.ts';
import { type Lab, machineAddress, outsideAddresses, probeImage, startLab } from './network/lab.ts';

const installTimeoutMs = 900_000;
const bridgeAddress = '100.96.0.1';
const gatewayPort = 9000;
const otherPort = 9001;
const readySlots = 2;

let lab: Lab;
let network: Network;
let driver: Driver;

type Isolation = 'runc' | 'gvisor';
type Instance = { id: string; slot: NetworkSlot };

beforeAll(async () => {
  await Promise.all([gvisor.install(), baseImage.install(), networkTools.install()]);
  lab = await startLab();
  driver = createDockerDriver({ dockerUrl: lab.docker.url });
  network = await openNetwork();
  // A bridge is up only while an interface is attached, and only then can a program listen on its address.
  await network.releaseSlot(await network.takeSlot());
  await lab.serve([gatewayPort, otherPort]);
}, installTimeoutMs);

afterAll(async () => {
  await network?.close();
  await lab?.[Symbol.asyncDispose]();
});

const usualLimits = RunnerConfig.shape.outgoing.parse({});
const [deniedAddress = '', apiAddress = ''] = outsideAddresses.operator;

const openNetwork = (limits: Partial<typeof usualLimits> = {}) =>
  createNetwork({
    dockerUrl: lab.docker.url,
    runnerId: 'runner-a',
    resolvers: [outsideAddresses.resolver],
    gateways: [
      { address: bridgeAddress, port: gatewayPort },
      { address: outsideAddresses.gateway, port: gatewayPort },
    ],
    deniedRanges: ['12.99.0.0/16', `${deniedAddress}/32`],
    ownAddresses: async () => [apiAddress],
    outgoing: { ...usualLimits, ...limits },
    slots: readySlots,
    logger: createLogger({ role: 'runner' }, { level: 'silent' }),
    run: lab.run,
  });

async function startInstance(
  isolation: Isolation,
  workspaceId: string | undefined,
  given?: NetworkSlot,
): Promise<Instance> {
  const slot = given ?? (await network.takeSlot());
  const name = randomUUID();
  const labels = {
    [containerLabels.runner]: 'runner-a',
    [containerLabels.instance]: name,
    ...(workspaceId === undefined ? {} : { [containerLabels.workspace]: workspaceId }),
  };
  const wish = { name, image: probeImage, labels, isolation, env: {}, memoryMb: 256, cpus: 1 };
  const id = await driver.create({ ...wish, networkOf: slot.containerId });
  if (workspaceId !== undefined) await network.admit(slot.address, { workspaceId });
  await driver.start(id);
  const answers = async () => expect(await lab.probe([`tcp:${slot.address}:8080`])).not.toEqual([]);
  await vi.waitFor(answers, { timeout: 120_000, interval: 200 }).catch(async (cause: unknown) => {
    throw new Error(`No answer from ${slot.address}: ${JSON.stringify(await driver.inspect(id))}`, { cause });
  });
  return { id, slot };
}

async function endInstance({ id, slot }: Instance): Promise<void> {
  await driver.remove(id);
  await network.releaseSlot(slot);
}

const both = (address: string, port: number) => [`tcp:${address}:${port}`, `udp:${address}:${port}`];

// The small size tests runc: the firewall is the host kernel's and applies to both classes alike.
describe.each(isolationsOf('runc'))('under $isolation', ({ isolation }) => {
  let instance: Instance;
  let sibling: Instance;
  let stranger: Instance;
  let nobody: Instance;
  let open: string[];
  let closed: string[];

  beforeAll(async () => {
    [instance, sibling, stranger, nobody] = await Promise.all([
      startInstance(isolation, 'workspace-1'),
      startInstance(isolation, 'workspace-1'),
      startInstance(isolation, 'workspace-2'),
      startInstance(isolation, undefined),
    ]);
    open = [
      ...both(outsideAddresses.host, 8080),
      ...both(outsideAddresses.host, 53),
      ...both(outsideAddresses.resolver, 53),
      `tcp:${bridgeAddress}:${gatewayPort}`,
      `tcp:${outsideAddresses.gateway}:${gatewayPort}`,
    ].sort();
    closed = [
      ...both(sibling.slot.address, 8080),
      ...both(stranger.slot.address, 8080),
      ...both(nobody.slot.address, 8080),
      ...both(bridgeAddress, otherPort),
      ...both(machineAddress, otherPort),
      `udp:${bridgeAddress}:${gatewayPort}`,
      `tcp:${machineAddress}:${gatewayPort}`,
      ...both(outsideAddresses.resolver, 8080),
      ...both(outsideAddresses.gateway, 8080),
      `tcp:${outsideAddresses.host}:25`,
      ...[...outsideAddresses.operator, ...outsideAddresses.closed].flatMap((address) => both(address, 8080)),
    ].sort();
  });

  afterAll(async () => {
    await Promise.all([instance, sibling, stranger, nobody].filter(Boolean).map(endInstance));
  });

  beforeEach(async () => {
    expect(await network.verify()).toEqual([]);
  });

  test('the machine reaches everything, so that a refusal is the table’s', async () => {
    expect(await lab.probe([...open, ...closed])).toEqual([...open, ...closed].sort());
  });

  test('an instance reaches the internet, resolvers and gateways, and nothing else: no other instance of its workspace either', async () => {
    expect(await lab.probeFrom(instance.id, [...open, ...closed])).toEqual(open);
  });

  test('an instance that floods the gateways waits, and its neighbour does not', async () => {
    const gateway = `tcp:${outsideAddresses.gateway}:${gatewayPort}`;
    const startedAt = performance.now();
    const flood = lab.probeFrom(instance.id, Array<string>(2_000).fill(gateway));
    await sleep(500);
    expect(await lab.probeFrom(sibling.id, [gateway])).toEqual([gateway]);
    const { length } = await flood;
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(length).toBeGreaterThan(0);
    // 200 a second beyond the first 100. A machine that takes more than nine seconds shows nothing here.
    expect(length).toBeLessThanOrEqual(Math.min(100 + 200 * seconds, 1_999));
    await sleep(1_000);
    expect(await lab.probeFrom(instance.id, [gateway])).toEqual([gateway]);
  });

  test('an instance that was not admitted reaches nothing', async () => {
    expect(
      await lab.probeFrom(
        nobody.id,
        [...open, ...closed].filter((target) => !target.includes(nobody.slot.address)),
      ),
    ).toEqual([]);
  });

  test('a dismissed instance reaches nothing, until it is admitted again', async () => {
    await network.dismiss(sibling.slot.address);
    await network.dismiss(sibling.slot.address);
    expect(await lab.probeFrom(sibling.id, open)).toEqual([]);
    await network.admit(sibling.slot.address, { workspaceId: 'workspace-1' });
    await network.admit(sibling.slot.address, { workspaceId: 'workspace-1' });
    expect(await lab.probeFrom(sibling.id, open)).toEqual(open);
  });

  test('instances of one VPC reach each other on declared ports alone, and another workspace’s VPC of that name not at all', async () => {
    const inVpc = (workspaceId: string, ports: readonly number[]): Membership => ({
      workspaceId,
      vpc: { name: 'blue', ports: ports.map((port) => ({ protocol: 'tcp', port })) },
    });
    const admit = async (ofSibling: Membership): Promise<void> => {
      await network.admit(instance.slot.address, inVpc('workspace-1', []));
      await network.admit(sibling.slot.address, ofSibling);
      await network.admit(stranger.slot.address, inVpc('workspace-2', [8080]));
      expect(await network.verify()).toEqual([]);
    };
    const peers = [sibling, stranger, nobody].flatMap(({ slot }) => both(slot.address, 8080));
    try {
      await admit(inVpc('workspace-1', [8080]));
      const [reached, reachedBack] = await Promise.all([
        lab.probeFrom(instance.id, peers),
        lab.probeFrom(sibling.id, both(instance.slot.address, 8080)),
      ]);
      // `instance` declared no port, and the path of its answers does not let `sibling` connect to it.
      expect([reached, reachedBack]).toEqual([[`tcp:${sibling.slot.address}:8080`], []]);
      await admit(inVpc('workspace-1', [3000]));
      expect(await lab.probeFrom(instance.id, peers)).toEqual([]);
      expect(await lab.probe(peers)).toEqual(peers.toSorted());
    } finally {
      for (const { slot } of [instance, sibling]) await network.admit(slot.address, { workspaceId: 'workspace-1' });
      await network.admit(stranger.slot.address, { workspaceId: 'workspace-2' });
    }
  });

  test('all of it holds again after the table was deleted by hand', async () => {
    await lab.run('nft', ['delete', 'table', 'inet', 'berth']);
    expect(await network.verify()).toEqual(['the nftables table inet berth was missing']);
    expect(await lab.probeFrom(instance.id, [...open, ...closed])).toEqual(open);
  });

  test('instances are told the configured resolvers', async () => {
    expect(await lab.execute(instance.id, ['cat', '/etc/resolv.conf'])).toEqual([
      `nameserver ${outsideAddresses.resolver}`,
    ]);
  });
});

describe('changes by other programs', () => {
  const changes: readonly [string, readonly string[], string][] = [
    ['forwarding is switched off', ['sysctl', '-w', 'net.ipv4.ip_forward=0'], 'net.ipv4.ip_forward was off'],
    [
      'bridged traffic is switched past the table',
      ['sysctl', '-w', 'net.bridge.bridge-nf-call-iptables=0'],
      'net.bridge.bridge-nf-call-iptables was off',
    ],
    ['a chain is emptied', ['nft', 'flush', 'chain', 'inet', 'berth', 'from_instances'], 'the rules of the nftables'],
    ['a rule is added', ['nft', 'insert', 'rule', 'inet', 'berth', 'forward', 'accept'], 'the rules of the nftables'],
    [
      'a range is opened',
      ['nft', 'delete', 'element', 'inet', 'berth', 'closed', '{ 10.0.0.0/8 }'],
      'the rules of the',
    ],
    [
      'a member is added',
      ['nft', 'add', 'element', 'inet', 'berth', 'admitted', '{ 100.96.9.9 }'],
      'the members in the nftables',
    ],
    [
      'a port is opened to peers',
      ['nft', 'add', 'element', 'inet', 'berth', 'vpc_ports', '{ 1 . 100.96.9.9 . tcp . 8080 }'],
      'the members in the nftables',
    ],
    ['the bridge is taken down', ['ip', 'link', 'set', 'berth0', 'down'], 'the interface berth0 was down'],
  ];

  test.each(changes)('%s: it is found and mended', async (_, [program = '', ...args], found) => {
    expect(await network.verify()).toEqual([]);
    await lab.run(program, args);
    expect(await network.verify()).toEqual([expect.stringContaining(found)]);
    expect(await network.verify()).toEqual([]);
  });

  test('tables of others are left alone', async () => {
    await lab.run(
      'nft',
      ['-f', '-'],
      'table inet theirs { chain c { type filter hook forward priority 0; ip ttl 1 drop; }; }',
    );
    const before = await lab.run('nft', ['list', 'table', 'inet', 'theirs']);
    await lab.run('nft', ['delete', 'table', 'inet', 'berth']);
    await network.verify();
    expect(await lab.run('nft', ['list', 'table', 'inet', 'theirs'])).toBe(before);
    await lab.run('nft', ['delete', 'table', 'inet', 'theirs']);
  });

  test('an admission into a deleted table restores the whole table', async () => {
    await network.admit('100.96.200.1', { workspaceId: 'workspace-3' });
    await lab.run('nft', ['delete', 'table', 'inet', 'berth']);
    await network.admit('100.96.200.2', { workspaceId: 'workspace-3' });
    expect(await network.verify()).toEqual([]);
    for (const address of ['100.96.200.1', '100.96.200.2']) await network.dismiss(address);
    expect(await network.verify()).toEqual([]);
  });
});

test('instances are reached, and reach the outside again, after the bridge was deleted by hand', async () => {
  const instances = await Promise.all([startInstance('runc', 'workspace-1'), startInstance('gvisor', 'workspace-1')]);
  await lab.run('ip', ['link', 'delete', 'berth0']);
  expect(await network.verify()).toEqual(['the interface berth0 had been deleted']);
  expect(await network.verify()).toEqual([]);
  const outside = `tcp:${outsideAddresses.host}:8080`;
  for (const { id, slot } of instances) {
    const reached = async () => [
      ...(await lab.probe([`tcp:${slot.address}:8080`])),
      ...(await lab.probeFrom(id, [outside])),
    ];
    await expect.poll(reached, { timeout: 60_000 }).toEqual([`tcp:${slot.address}:8080`, outside]);
  }
  await Promise.all(instances.map(endInstance));
});

test('all holds when the engine is killed and starts again', async () => {
  const instance = await startInstance('runc', 'workspace-1');
  await lab.docker.kill();
  await expect(network.verify()).rejects.toThrow();
  await lab.docker.start();
  expect(await network.verify()).toEqual([]);
  const targets = [`tcp:${outsideAddresses.host}:8080`, `tcp:${outsideAddresses.closed[0]}:8080`];
  expect(await lab.probeFrom(instance.id, targets)).toEqual(targets.slice(0, 1));
  const later = await startInstance('runc', 'workspace-1');
  expect(await lab.probeFrom(later.id, targets)).toEqual(targets.slice(0, 1));
  expect(await lab.probeFrom(instance.id, both(later.slot.address, 8080))).toEqual([]);
  await Promise.all([instance, later].map(endInstance));
});

test('IPv6 passes neither between instances of one workspace nor to the machine', async () => {
  const slots = [await network.takeSlot(), await network.takeSlot()];
  for (const { address } of slots) await network.admit(address, { workspaceId: 'workspace-1' });
  const namespaces = await Promise.all(
    slots.map(async ({ containerId }) => `--net=/proc/${(await driver.inspect(containerId))?.pid}/ns/net`),
  );
  const inside = (index: number, ...command: string[]) =>
    lab.run('nsenter', [namespaces[index] ?? '', '--', ...command]);
  for (const [index, last] of [
    [0, 'a'],
    [1, 'b'],
  ] as const) {
    await inside(index, 'sysctl', '-w', 'net.ipv6.conf.all.disable_ipv6=0');
    await inside(index, 'ip', '-6', 'address', 'add', `fd00::${last}/64`, 'dev', 'eth0', 'nodad');
  }
  await lab.run('ip', ['-6', 'address', 'add', 'fd00::1/64', 'dev', 'berth0', 'nodad']);
  const pings = (address: string) =>
    inside(0, 'busybox', 'ping6', '-c', '1', '-W', '1', address).then(
      () => true,
      () => false,
    );
  for (const address of ['fd00::b', 'fd00::1']) expect(await pings(address), address).toBe(false);
  await lab.run('nft', ['delete', 'table', 'inet', 'berth']);
  for (const address of ['fd00::b', 'fd00::1'])
    await expect.poll(() => pings(address), { timeout: 10_000, message: address }).toBe(true);
  expect(await network.verify()).not.toEqual([]);
  for (const address of ['fd00::b', 'fd00::1']) expect(await pings(address), address).toBe(false);
  await Promise.all(slots.map(network.releaseSlot));
});

describe('slots', () => {
  test('each is given out once, more than are ready at the same time too', async () => {
    const slots = await Promise.all(Array.from({ length: 6 }, () => network.takeSlot()));
    expect(new Set(slots.map(({ address }) => address)).size).toBe(6);
    await Promise.all(slots.map(network.releaseSlot));
    for (const { containerId } of slots) expect(await driver.inspect(containerId)).toBeUndefined();
  });

  test('a slot that ended while it waited is not given out', async () => {
    const slots = () => driver.list({ name: containerLabels.slot, value: '1' });
    const running = async () => (await slots()).filter(({ status }) => status === 'running').length;
    await expect.poll(running).toBeGreaterThanOrEqual(readySlots);
    const waiting = await slots();
    for (const { id } of waiting) await driver.stop(id, 0);
    const slot = await network.takeSlot();
    expect(waiting.map(({ id }) => id)).not.toContain(slot.containerId);
    expect((await driver.inspect(slot.containerId))?.status).toBe('running');
    await network.releaseSlot(slot);
  });

  test('an address that changes hands brings nothing along, and is not lost to its earlier owner’s end', async () => {
    const admitted = () => lab.run('nft', ['list', 'set', 'inet', 'berth', 'admitted']);
    const slot = await network.takeSlot();
    await network.admit(slot.address, { workspaceId: 'workspace-1' });
    await driver.stop(slot.containerId, 0);
    const others: NetworkSlot[] = [];
    while (others.at(-1)?.address !== slot.address) others.push(await network.takeSlot());
    expect(await admitted()).not.toContain(slot.address);
    await network.admit(slot.address, { workspaceId: 'workspace-2' });
    await network.releaseSlot(slot);
    expect(await admitted()).toContain(slot.address);
    await Promise.all(others.map(network.releaseSlot));
    expect(await admitted()).not.toContain(slot.address);
  });

  test('a kept slot goes to the next instance of its workspace as it was created, and to no other workspace', async () => {
    const [workspace, otherWorkspace] = [randomUUID(), randomUUID()];
    const slot = await network.takeSlot();
    const files = slot.origin?.files ?? [];
    expect(files.map(({ path }) => basename(path)).sort()).toEqual(['hostname', 'hosts', 'resolv.conf']);
    await network.admit(slot.address, { workspaceId: workspace });
    for (const { path } of files) await appendFile(path, 'a line of the last instance');
    await network.keepSlot(slot, workspace);
    // The other workspace comes first. Its slot may take longer to create than a slot is kept, so nothing waits for it here.
    const creating = network.takeSlot({ keptFor: otherWorkspace });
    expect(await network.takeSlot({ keptFor: workspace })).toEqual(slot);
    const foreign = await creating;
    expect(foreign.containerId).not.toBe(slot.containerId);
    for (const { path, text } of files) expect(await readFile(path, 'utf8')).toBe(text);
    await network.releaseSlot(foreign);
    const admitted = () => lab.run('nft', ['list', 'set', 'inet', 'berth', 'admitted']);
    await network.admit(slot.address, { workspaceId: workspace });
    expect(await admitted()).toContain(slot.address);
    await network.keepSlot(slot, workspace);
    expect(await admitted()).not.toContain(slot.address);
  });

  test.each(isolationsOf('gvisor'))('a kept slot serves a second instance under $isolation', async ({ isolation }) => {
    const workspace = randomUUID();
    const first = await startInstance(isolation, workspace);
    await driver.remove(first.id);
    await network.keepSlot(first.slot, workspace);
    const second = await startInstance(isolation, workspace, await network.takeSlot({ keptFor: workspace }));
    expect(second.slot).toEqual(first.slot);
    const outside = both(outsideAddresses.host, 8080);
    expect(await lab.probeFrom(second.id, outside)).toEqual(outside);
    await endInstance(second);
  });

  test('a kept slot is not used again while a closed connection holds the port of a server, nor after its end', async () => {
    const workspace = randomUUID();
    const [busy, ended] = [await network.takeSlot(), await network.takeSlot()];
    // The server closes first, so its port stays in the state TIME-WAIT.
    const serve = `require('net').createServer((socket) => socket.end()).listen(8080, function () {
      require('net').connect(8080).resume().on('close', () => this.close());
    });`;
    await lab.run('nsenter', [`--net=/proc/${busy.origin?.pid}/ns/net`, '--', process.execPath, '-e', serve]);
    await driver.stop(ended.containerId, 0);
    for (const slot of [busy, ended]) await network.keepSlot(slot, workspace);
    const next = await network.takeSlot({ keptFor: workspace });
    expect([busy.containerId, ended.containerId]).not.toContain(next.containerId);
    for (const { containerId } of [busy, ended])
      await expect.poll(() => driver.inspect(containerId), { timeout: 30_000 }).toBeUndefined();
    await network.releaseSlot(next);
  });

  test('an instance stays where it is when the runner starts again; unused slots go', async () => {
    const [instance, sibling] = await Promise.all([
      startInstance('runc', 'workspace-1'),
      startInstance('runc', 'workspace-1'),
    ]);
    const forgotten = await network.takeSlot();
    const killed = network;
    network = await openNetwork();
    const { containerId, address } = instance.slot;
    expect(await network.adoptSlot(containerId)).toEqual({ containerId, address });
    expect(await network.adoptSlot(forgotten.containerId)).toBeUndefined();
    // The instance has not been admitted again yet.
    const outside = both(outsideAddresses.host, 8080);
    const shut = [...both(sibling.slot.address, 8080), `tcp:${outsideAddresses.closed[0]}:8080`];
    expect(await lab.probeFrom(instance.id, [...outside, ...shut])).toEqual(outside);
    await network.admit(instance.slot.address, { workspaceId: 'workspace-1' });
    expect(await lab.probeFrom(instance.id, [...outside, ...shut])).toEqual(outside);
    await Promise.all([instance, sibling].map(endInstance));
    await killed.close();
    expect(await network.verify()).toEqual([]);
  });

  test('closing removes the slots that were not taken, and leaves the table in place', async () => {
    const instance = await startInstance('runc', 'workspace-1');
    await network.close();
    const left = await driver.list({ name: containerLabels.slot, value: '1' });
    expect(left.map(({ id }) => id)).toEqual([instance.slot.containerId]);
    expect(await lab.run('nft', ['list', 'table', 'inet', 'berth'])).toContain(instance.slot.address);
    network = await openNetwork();
    await endInstance(instance);
  });
});

describe('limits of what an instance sends', () => {
  const flood = 300;
  let greedy: Instance;
  let other: Instance;
  const reopen = async (limits: Partial<typeof usualLimits>): Promise<void> => {
    await network.close();
    network = await openNetwork(limits);
  };
  const [question, datagram, connection] = [
    `udp:${outsideAddresses.resolver}:53`,
    `udp:${outsideAddresses.host}:8080`,
    `tcp:${outsideAddresses.host}:8080`,
  ];
  const answered = async (target: string): Promise<number> =>
    (await lab.probeFrom(greedy.id, Array<string>(flood).fill(target))).length;
  const refusalOf = async ({ slot }: Instance): Promise<string | undefined> =>
    (await network.refused()).find(({ address }) => address === slot.address)?.text;
  const othersReach = () => lab.probeFrom(other.id, [question, datagram, connection]);

  beforeAll(async () => {
    [greedy, other] = await Promise.all([startInstance('runc', 'workspace-1'), startInstance('runc', 'workspace-2')]);
  });
  afterAll(async () => {
    await Promise.all([greedy, other].filter(Boolean).map(endInstance));
    await reopen({});
  });

  test('connections at a time: those beyond the limit are dropped, and another instance connects all the same', async () => {
    await reopen({ connections: 50, newPerSecond: 100_000 });
    const reached = await answered(datagram);
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThanOrEqual(50);
    expect(await lab.probeFrom(greedy.id, [connection])).toEqual([]);
    expect(await othersReach()).toEqual([question, datagram, connection].sort());
    expect(await refusalOf(greedy)).toContain('more than 50 at a time (runner.outgoing.connections)');
    expect(await refusalOf(other)).toBeUndefined();
    // The next instance with this address starts with a count of zero and without a stored refusal.
    const counted = () => lab.run('nft', ['list', 'set', 'inet', 'berth', 'connections']);
    expect(await counted()).toContain(`${greedy.slot.address} `);
    await endInstance(greedy);
    expect(await counted()).not.toContain(`${greedy.slot.address} `);
    expect(await refusalOf(greedy)).toBeUndefined();
    greedy = await startInstance('runc', 'workspace-1');
  });

  test('new connections in a second: a flood is dropped, and another instance connects all the same', async () => {
    await reopen({ newPerSecond: 5 });
    const reached = await answered(connection);
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(flood / 3);
    expect(await othersReach()).toEqual([question, datagram, connection].sort());
    expect(await refusalOf(greedy)).toContain('more than 5 in a second (runner.outgoing.newPerSecond)');
    expect(await refusalOf(other)).toBeUndefined();
  });

  test('questions to the resolvers in a second: a flood is dropped, and another instance is answered all the same', async () => {
    await reopen({ dnsPerSecond: 5, newPerSecond: 100_000, closedPorts: [], mbPerSecond: 100 });
    expect(await network.verify()).toEqual([]);
    const reached = await answered(question);
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(flood / 3);
    expect(await othersReach()).toEqual([question, datagram, connection].sort());
    // Other traffic than DNS is not limited, and the operator has opened the port for mail.
    const open = [connection, `tcp:${outsideAddresses.host}:25`].sort();
    expect(await lab.probeFrom(greedy.id, open)).toEqual(open);
  });
});

test('a bridge of another runner is not taken over', async () => {
  const taking = createNetwork({
    dockerUrl: lab.docker.url,
    runnerId: 'runner-b',
    resolvers: [],
    gateways: [],
    outgoing: usualLimits,
    logger: createLogger({ role: 'runner' }, { level: 'silent' }),
    run: lab.run,
  });
  await expect(taking).rejects.toThrow(/of another runner/);
});

describe('beside another firewall of the machine', () => {
  const bridge = 'berth0';
  const inOrder = async (...lines: string[]) => {
    for (const line of lines) await lab.run('sh', ['-c', line]);
  };

  test('that lets instances through there is nothing to say', async () => {
    expect(await network.checkFirewall()).toEqual([]);
  });

  test('that drops what is forwarded, the check names the command that lets instances through, and it does', async () => {
    await inOrder('iptables -P FORWARD DROP');
    const instance = await startInstance('runc', randomUUID());
    const outside = [`tcp:${outsideAddresses.host}:8080`];
    try {
      expect(await lab.probeFrom(instance.id, outside)).toEqual([]);
      const [problem, ...others] = await network.checkFirewall();
      expect(others).toEqual([]);
      expect(problem?.message).toMatch(/^Instances do not reach other machines: the firewall of this machine/);
      await inOrder(problem?.fix ?? '');
      expect(await network.checkFirewall()).toEqual([]);
      expect(await lab.probeFrom(instance.id, outside)).toEqual(outside);
      // Addresses that Berth's own table closes stay closed.
      const closed = outsideAddresses.closed.map((address) => `tcp:${address}:8080`);
      expect(await lab.probeFrom(instance.id, closed)).toEqual([]);
    } finally {
      await endInstance(instance);
      await inOrder('iptables -P FORWARD ACCEPT', 'iptables -F FORWARD');
    }
  });

  test('that drops what comes in, the same for the gateway on this machine', async () => {
    await inOrder(`iptables -I INPUT -i ${bridge} -j DROP`);
    try {
      const [problem, ...others] = await network.checkFirewall();
      expect(others).toEqual([]);
      expect(problem?.message).toContain(`the gateway at ${bridgeAddress}:${gatewayPort}`);
      await inOrder(problem?.fix ?? '');
      expect(await network.checkFirewall()).toEqual([]);
    } finally {
      await inOrder('iptables -F INPUT');
    }
  });
});

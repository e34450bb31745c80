// Instances reach every allowed address on a machine with other firewalls, after the fix that the runner logs where one
// is needed.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wireAddresses } from '../../../engines/wire.ts';
import { isFull } from '../../harness/size.ts';
import {
  type HostDeployment,
  hosts,
  machineNumber,
  minutes,
  patience,
  startHostDeployment,
  startMinutes,
} from './host-deployment.ts';
import { createSandbox, guestOf } from './on-host.ts';

const [outside, inside] = wireAddresses(machineNumber);
/** The test listens at these addresses on this side of the wire; one more gateway runs on the runner's machine. */
const internet = '192.52.193.9';
const metadata = '169.254.169.254';
const ports = { here: 18_099, there: 18_098, ingress: 8_082 };

const firewalls = [
  { firewall: 'Docker’s own rules', plant: 'true' },
  { firewall: 'a FORWARD chain that drops', plant: 'iptables --policy FORWARD DROP' },
  { firewall: 'ufw', plant: `ufw allow ${ports.ingress}/tcp && ufw --force enable` },
] as const;
/** Resets DOCKER-USER to its state after a start of the machine, without the fixes of an earlier test. */
const clean = 'iptables --flush DOCKER-USER && iptables --append DOCKER-USER --jump RETURN';

describe.skipIf(!isFull).each(hosts)('$host', { timeout: 20 * minutes }, ({ release, docker }) => {
  let deployment: HostDeployment;
  const made = new AsyncDisposableStack();

  beforeAll(async () => {
    const gateways = [
      { address: inside, port: ports.there },
      { address: outside, port: ports.here },
    ];
    const settings = { BERTH_RUNNER_GATEWAYS: JSON.stringify(gateways), BERTH_RUNNER_ISOLATION: '["runc"]' };
    deployment = made.use(await startHostDeployment({ name: `fw-${release}`, release, docker, settings }));
    const { host } = deployment.machine;
    for (const address of [internet, metadata])
      execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', host.wire]);
    for (const [address, word] of [
      [internet, 'internet'],
      [metadata, 'metadata'],
      [outside, 'gateway'],
    ] as const) {
      const server = createServer((socket) => socket.on('error', () => {}).end(`${word}\n`));
      await once(server.listen(ports.here, address), 'listening');
      made.defer(() => void server.close());
    }
    const serve = `require("net").createServer((socket) => socket.on("error", () => {}).end("own gateway\\n"))`;
    await host.run(`systemd-run --unit gateway /usr/local/bin/node --eval '${serve}.listen(${ports.there})'`);
    await createSandbox(deployment.fleet, 'box');
  }, startMinutes * minutes);
  afterAll(() => made.disposeAsync(), 2 * minutes);

  const told = async () => {
    const lines = (await deployment.machine.log()).split('\n').filter((line) => line.includes('"runner.firewall"'));
    return lines.map((line): { msg: string; fix?: string } => JSON.parse(line));
  };
  const answerOf = (address: string, port: number) =>
    guestOf(deployment.fleet, 'main', 'box').exec(
      `busybox nc -w 20 ${address} ${port} </dev/null 2>/dev/null || echo nothing`,
    );

  test.each(firewalls)('beside $firewall', async ({ firewall, plant }) => {
    const { machine } = deployment;
    await machine.host.run(`${clean} && ${plant}`);
    await machine.configure({});
    await expect.poll(told, patience).not.toEqual([]);
    const fixes = (await told()).flatMap(({ fix }) => fix ?? []);
    console.log(`${release}, ${firewall}: ${fixes.length === 0 ? 'nothing to mend' : fixes.join('\n')}`);
    for (const fix of fixes) await machine.host.run(fix);

    expect(await answerOf(internet, ports.here)).toBe('internet\n');
    expect(await answerOf(outside, ports.here)).toBe('gateway\n');
    expect(await answerOf(inside, ports.there)).toBe('own gateway\n');
    // The machine itself reaches the address, so it is Berth's table that blocks instances.
    expect(await machine.host.run(`curl --silent --http0.9 ${metadata}:${ports.here}`)).toBe('metadata\n');
    expect(await answerOf(metadata, ports.here)).toBe('nothing\n');

    await machine.configure({});
    await expect
      .poll(async () => (await told()).map(({ msg }) => msg), patience)
      .toEqual(['the firewall of this machine lets instances through']);
  });
});

// Sends real packets from a network slot through the firewall of this machine. Our own table may accept them while
// another one, Docker's or ufw's, drops them.
import { programPath } from '@berth/release';
import type { RunCommand } from '../../machine/command.ts';
import { type Blocked, type Firewall, repair } from './advice.ts';

export interface FirewallCheck {
  readonly run: RunCommand;
  readonly bridge: string;
  /** Gateways at which instances reach the platform. Only those on this machine are tried. */
  readonly gateways: readonly { readonly address: string; readonly port: number }[];
  /** Process in a slot that has been admitted to a workspace. */
  readonly slotPid: number;
}

export interface FirewallProblem {
  readonly message: string;
  /** Shell command that fixes the problem. */
  readonly fix: string;
}

const probe = programPath('firewall-probe');
/**
 * Addresses of both ends of the test link. They belong to RFC 7450: no service uses them, and our table takes them
 * for the internet.
 */
const wire = { near: '192.52.193.1', far: '192.52.193.2', port: 9 };

/** Empty when instances reach the outside and every gateway of this machine. */
export async function checkFirewall(check: FirewallCheck): Promise<FirewallProblem[]> {
  const { run, bridge, gateways } = check;
  const own = await ownAddresses(run);
  const blocked: Blocked[] = (await reachesOutside(check)) ? [] : [{ way: 'outside' }];
  for (const { address, port } of gateways.filter(({ address }) => own.has(address)))
    if (!(await reachesGateway(check, address, port))) blocked.push({ way: 'gateway', address, port });
  if (blocked.length === 0) return [];
  const firewall = await firewallOf(run);
  return blocked.map((each) => ({ message: messageOf(each, firewall), fix: repair(firewall, bridge, each) }));
}

const messageOf = (blocked: Blocked, firewall: Firewall): string =>
  blocked.way === 'outside'
    ? `Instances do not reach other machines: the firewall of this machine (${firewall}) drops their packets.`
    : `Instances do not reach the gateway at ${blocked.address}:${blocked.port}: the firewall of this machine (${firewall}) drops their packets.`;

/**
 * The far end is a process in its own network namespace. Namespace and link go with the process, which ends by itself
 * if the runner is gone.
 */
async function reachesOutside({ run, slotPid }: FirewallCheck): Promise<boolean> {
  const { near, far, port } = wire;
  const link = `fwcheck${process.pid}`;
  return says(run, [
    `unshare --net -- ${command('listen', '0.0.0.0', port)} >/dev/null 2>&1 & other=$!`,
    'while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done',
    `ip link add ${link} type veth peer name far netns $other`,
    `ip address add ${near}/30 dev ${link} && ip link set ${link} up`,
    `nsenter --net=/proc/$other/ns/net -- sh -c 'ip address add ${far}/30 dev far && ip link set far up'`,
    connectFrom(slotPid, far, port),
  ]);
}

const reachesGateway = ({ run, slotPid }: FirewallCheck, address: string, port: number): Promise<boolean> =>
  says(run, [`${command('listen', address, port)} >/dev/null 2>&1 & other=$!`, connectFrom(slotPid, address, port)]);

const command = (role: string, address: string, port: number): string =>
  [process.execPath, probe, role, address, String(port)].map((word) => `'${word}'`).join(' ');

const connectFrom = (pid: number, address: string, port: number): string =>
  `nsenter --net=/proc/${pid}/ns/net -- ${command('connect', address, port)} >/dev/null 2>&1; reached=$?`;

async function says(run: RunCommand, lines: readonly string[]): Promise<boolean> {
  const script = [...lines, 'kill $other 2>/dev/null', 'echo $reached'].join('\n');
  return (await run('sh', ['-c', script])).trim() === '0';
}

async function ownAddresses(run: RunCommand): Promise<ReadonlySet<string>> {
  const lines = (await run('ip', ['-4', '-o', 'address', 'show'])).split('\n');
  return new Set(lines.flatMap((line) => /inet (\S+?)\//.exec(line)?.[1] ?? []));
}

/** The firewall tool that an operator of this machine works with. */
async function firewallOf(run: RunCommand): Promise<Firewall> {
  const prints = (program: string, args: readonly string[], expected: RegExp): Promise<boolean> =>
    run(program, args).then(
      (output) => expected.test(output),
      () => false,
    );
  if (await prints('ufw', ['status'], /^Status: active/m)) return 'ufw';
  if (await prints('firewall-cmd', ['--state'], /^running/m)) return 'firewalld';
  return (await prints('iptables', ['-S', 'DOCKER-USER'], /DOCKER-USER/)) ? 'docker' : 'iptables';
}

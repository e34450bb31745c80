// The bridge as a kernel interface. The engine creates it together with its network and never checks it again.
import type Docker from 'dockerode';
import { answered, answeredIfThere } from '../driver/docker-client.ts';
import { containerLabels } from '../driver/driver.ts';
import type { RunCommand } from '../machine/command.ts';

export interface InterfaceSpec {
  readonly runnerId: string;
  readonly bridge: string;
  readonly subnet: string;
}

/** Address of this machine on the bridge: the first of the subnet. */
export function machineAddress(subnet: string): string {
  const [base = ''] = subnet.split('/');
  const [last = '0', ...others] = base.split('.').reverse();
  return [...others.reverse(), Number(last) + 1].join('.');
}

/**
 * Gives the bridge the same MAC address whenever it is created: instances cache it, and would send to the earlier one
 * for most of a minute. It is derived from the IP address, as the engine derives those of containers.
 */
export async function setHardwareAddress(run: RunCommand, { bridge, subnet }: InterfaceSpec): Promise<void> {
  const octets = machineAddress(subnet).split('.');
  const hex = octets.map((octet) => Number(octet).toString(16).padStart(2, '0'));
  await run('ip', ['link', 'set', 'dev', bridge, 'address', ['02', '42', ...hex].join(':')]);
}

/** Repairs the interface; returns a description of each repair. */
export async function mendInterface(docker: Docker, run: RunCommand, wish: InterfaceSpec): Promise<string[]> {
  const { bridge, subnet } = wish;
  const link = await run('ip', ['-o', 'link', 'show', 'dev', bridge]).catch(() => undefined);
  if (link === undefined) {
    await run('ip', ['link', 'add', 'name', bridge, 'type', 'bridge']);
    await setHardwareAddress(run, wish);
    await run('ip', ['address', 'add', `${machineAddress(subnet)}/${subnet.split('/')[1]}`, 'dev', bridge]);
    await run('ip', ['link', 'set', 'dev', bridge, 'up']);
    await plugIn(docker, run, wish);
    return [`the interface ${bridge} had been deleted`];
  }
  if (/[<,]UP[,>]/.test(link)) return [];
  await run('ip', ['link', 'set', 'dev', bridge, 'up']);
  return [`the interface ${bridge} was down`];
}

/**
 * Attaches the slots to the bridge again. Each slot holds one end of a veth pair and this machine the other; each end
 * shows the interface number of the other.
 */
async function plugIn(docker: Docker, run: RunCommand, { runnerId, bridge }: InterfaceSpec): Promise<void> {
  const filters = { label: [`${containerLabels.runner}=${runnerId}`, containerLabels.slot] };
  const nameOf = new Map<string, string>();
  for (const [, number = '', name = ''] of (await run('ip', ['-o', 'link'])).matchAll(/^(\d+): ([^@:]+)/gm)) {
    nameOf.set(number, name);
  }
  for (const { Id } of await answered(docker.listContainers({ filters }))) {
    const pid = (await answeredIfThere(docker.getContainer(Id).inspect()))?.State.Pid;
    if (!pid) continue;
    const inside = await run('nsenter', [`--net=/proc/${pid}/ns/net`, '--', 'ip', '-o', 'link', 'show', 'dev', 'eth0']);
    const name = nameOf.get(/@if(\d+)/.exec(inside)?.[1] ?? '');
    if (name !== undefined) await run('ip', ['link', 'set', 'dev', name, 'master', bridge]);
  }
}

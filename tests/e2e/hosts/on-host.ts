// What a test looks at on a virtual machine, and how it speaks to sandboxes there.
import type { Fleet } from '../../../scripts/engines/fleet/fleet.ts';
import type { VirtualHost } from '../../../scripts/engines/virtual-host/virtual-host.ts';
import { guestClient } from '../../support/guest-client.ts';
import { instancesOf } from '../../support/workloads.ts';

/** A sandbox, called through the first gateway. */
export function guestOf(fleet: Fleet, workspace: string, name: string) {
  const headers = { authorization: `Bearer ${fleet.key}` };
  const client = guestClient(`${fleet.gateways[0]?.url}/${workspace}/sandboxes/${name}`, headers);
  /** What a command prints. Emulated, it may take minutes. */
  const exec = async (command: string): Promise<string> => (await client.run(command, { timeout: 300 })).logs ?? '';
  return { ...client, exec };
}

/** The one that lives. */
export async function instanceOf(fleet: Fleet, name: string): Promise<string> {
  const [instance] = await instancesOf(fleet, name);
  if (instance === undefined) throw new Error(`${name} has no instance.`);
  return instance.id;
}

/** A file of the cgroup of an instance's container. */
export const groupFile = (host: VirtualHost, instance: string, file: string): Promise<string> =>
  host.run(
    `pid=$(docker inspect --format '{{.State.Pid}}' berth-${instance}) && cat "/sys/fs/cgroup$(cut -d: -f3 /proc/$pid/cgroup)/${file}"`,
  );

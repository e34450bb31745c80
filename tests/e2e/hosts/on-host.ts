// Helpers for tests on a virtual machine: calls to its sandboxes and agents, and lookups on the machine.
import type { Fleet } from '../../../engines/fleet/fleet.ts';
import type { VirtualHost } from '../../../engines/virtual-host/virtual-host.ts';
import { guestClient } from '../../harness/guest-client.ts';
import { clientOf, instancesOf, settled } from '../../harness/workloads.ts';
import { boxImage, patience } from './host-deployment.ts';

/** Client of a sandbox, through the first gateway. */
export function guestOf(fleet: Fleet, workspace: string, name: string) {
  const headers = { authorization: `Bearer ${fleet.key}` };
  const client = guestClient(`${fleet.gateways[0]?.url}/${workspace}/sandboxes/${name}`, headers);
  /** Output of a command. On an emulated machine it may take minutes. */
  const exec = async (command: string): Promise<string> => (await client.run(command, { timeout: 300 })).logs ?? '';
  return { ...client, exec };
}

export async function createSandbox(fleet: Fleet, name: string, workspace = 'main', runtime = {}): Promise<void> {
  const client = clientOf(fleet, workspace);
  await client.post('/sandboxes', {
    metadata: { name },
    spec: { runtime: { image: boxImage, memory: 256, ...runtime } },
  });
  await settled(client, `/sandboxes/${name}`, ['DEPLOYED'], patience.timeout);
}

/**
 * Asks a sandbox to sleep and returns its state. Callers poll, because a sandbox that is busy with a call stays awake.
 */
export async function putToSleep(fleet: Fleet, name: string): Promise<string> {
  const client = clientOf(fleet);
  await client.put(`/sandboxes/${name}/stop`, {});
  return (await client.get(`/sandboxes/${name}`)).body.state;
}

/** Answer of an agent with the tiny image. */
export async function callAgent(fleet: Fleet, name: string): Promise<{ status: number; text: string }> {
  const url = `${fleet.gateways[0]?.url}/main/agents/${name}/`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${fleet.key}` } });
  return { status: answer.status, text: await answer.text() };
}

/** Instances of the warm pool that are ready and have no owner yet. */
export async function readyInPool({ database }: Fleet): Promise<string[]> {
  const rows = await database
    .selectFrom('instances')
    .select('id')
    .where('pool', 'is not', null)
    .where('state', '=', 'ready')
    .where('ended_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Id of the workload's live instance. */
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

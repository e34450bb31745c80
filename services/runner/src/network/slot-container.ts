// The container that holds a slot: its network is what matters, its process only sleeps.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { answered, answeredIfThere, answeredOr } from '../driver/docker-client.ts';
import { containerLabels } from '../driver/driver.ts';
import type { NetworkSlot } from './network.ts';
import { SLOT_IMAGE, SLOT_PROGRAM } from './slot-image.ts';

export interface SlotWish {
  readonly runnerId: string;
  /** The engine's network. */
  readonly network: string;
  readonly resolvers: readonly string[];
}

// What starts the program needs most of it: current releases of runc run from a copy of themselves in memory, some 14 MB in all.
const MEMORY_BYTES = 32 * 1024 * 1024;
const GONE = 404;
const ALREADY_GOING = 409;
const ALREADY_RUNNING = 304;
// Nobody's: without it the engine would hand questions to the machine's own resolvers, past our table.
const NO_RESOLVER = '127.0.0.1';

export async function createSlot(docker: Docker, { runnerId, network, resolvers }: SlotWish): Promise<NetworkSlot> {
  const container = await answered(
    docker.createContainer({
      // The engine's own name server knows containers on a network by their names, so this one must tell nothing.
      name: `berth-slot-${randomUUID()}`,
      Image: SLOT_IMAGE,
      Entrypoint: [SLOT_PROGRAM],
      Labels: { [containerLabels.runner]: runnerId, [containerLabels.slot]: '1' },
      HostConfig: {
        Runtime: 'runc',
        NetworkMode: network,
        Dns: resolvers.length > 0 ? [...resolvers] : [NO_RESOLVER],
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
        IpcMode: 'private',
        Memory: MEMORY_BYTES,
        MemorySwap: MEMORY_BYTES,
        LogConfig: { Type: 'none', Config: {} },
      },
    }),
  );
  try {
    await answered(container.start());
    await nameResolvers(docker, container.id, resolvers);
    const slot = await findSlot(docker, container.id, network);
    if (slot === undefined) throw new Error(`The slot ${container.id} ended right after its start.`);
    return slot;
  } catch (error) {
    await removeSlot(docker, container.id).catch(() => {});
    throw error;
  }
}

/** Undefined when it is gone, or when it does not run: then its network is gone too. */
export async function findSlot(docker: Docker, id: string, network: string): Promise<NetworkSlot | undefined> {
  const found = await answeredIfThere(docker.getContainer(id).inspect());
  const address = found?.NetworkSettings.Networks[network]?.IPAddress;
  if (found === undefined || !found.State.Running || !address) return undefined;
  return { containerId: found.Id, address };
}

/** Undefined when nothing is left to start. */
export async function restartSlot(
  docker: Docker,
  id: string,
  { network, resolvers }: Pick<SlotWish, 'network' | 'resolvers'>,
): Promise<NetworkSlot | undefined> {
  const container = docker.getContainer(id);
  if ((await answeredIfThere(container.inspect())) === undefined) return undefined;
  await answeredOr([ALREADY_RUNNING], container.start());
  await nameResolvers(docker, id, resolvers);
  return findSlot(docker, id, network);
}

export async function slotProcess(docker: Docker, id: string): Promise<number> {
  return (await answered(docker.getContainer(id).inspect())).State.Pid;
}

export const removeSlot = (docker: Docker, id: string): Promise<void> =>
  answeredOr([GONE, ALREADY_GOING], docker.getContainer(id).remove({ force: true, v: true }));

/**
 * The engine points every container on a network at its own name server on 127.0.0.11. In gVisor that is the container's own
 * loopback, where nobody listens; so instances are told the real resolvers. They see the slot's file, not one of their own.
 */
async function nameResolvers(docker: Docker, id: string, resolvers: readonly string[]): Promise<void> {
  const { ResolvConfPath } = await answered(docker.getContainer(id).inspect());
  await writeFile(ResolvConfPath, resolvers.map((address) => `nameserver ${address}\n`).join(''));
}

// The container that holds a slot. Only its network matters; its process sleeps.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { bytesPerMb } from '@berth/contract/node';
import type Docker from 'dockerode';
import { answered, answeredIfThere, answeredOr } from '../../driver/docker-client.ts';
import { containerLabels } from '../../driver/driver.ts';
import type { NetworkSlot } from './network-slot.ts';
import { slotImage, slotProgramPath } from './slot-image.ts';

export interface SlotSpec {
  readonly runnerId: string;
  /** Name of the engine's network. */
  readonly network: string;
  readonly resolvers: readonly string[];
}

// Most of it is for the start of the program: current releases of runc run from a copy of themselves in memory, some
// 14 MB in all.
const memoryBytes = 32 * bytesPerMb;
const gone = 404;
const alreadyGoing = 409;
const alreadyRunning = 304;
// An address without a resolver. With none named, the engine would pass questions to the machine's own resolvers,
// past our table.
const noResolver = '127.0.0.1';

export async function createSlot(docker: Docker, { runnerId, network, resolvers }: SlotSpec): Promise<NetworkSlot> {
  const container = await answered(
    docker.createContainer({
      // The engine's own DNS server resolves the names of containers on a network, so this name must reveal nothing.
      name: `berth-slot-${randomUUID()}`,
      Image: slotImage,
      Entrypoint: [slotProgramPath],
      Labels: { [containerLabels.runner]: runnerId, [containerLabels.slot]: '1' },
      HostConfig: {
        Runtime: 'runc',
        NetworkMode: network,
        Dns: resolvers.length > 0 ? [...resolvers] : [noResolver],
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
        IpcMode: 'private',
        Memory: memoryBytes,
        MemorySwap: memoryBytes,
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

/** Undefined if the container is gone or does not run: its network is gone then too. */
export async function findSlot(docker: Docker, id: string, network: string): Promise<NetworkSlot | undefined> {
  const found = await answeredIfThere(docker.getContainer(id).inspect());
  const address = found?.NetworkSettings.Networks[network]?.IPAddress;
  if (found === undefined || !found.State.Running || !address) return undefined;
  return { containerId: found.Id, address };
}

/** Undefined if there is no container left to start. */
export async function restartSlot(
  docker: Docker,
  id: string,
  { network, resolvers }: Pick<SlotSpec, 'network' | 'resolvers'>,
): Promise<NetworkSlot | undefined> {
  const container = docker.getContainer(id);
  if ((await answeredIfThere(container.inspect())) === undefined) return undefined;
  await answeredOr([alreadyRunning], container.start());
  await nameResolvers(docker, id, resolvers);
  return findSlot(docker, id, network);
}

export async function slotProcess(docker: Docker, id: string): Promise<number> {
  return (await answered(docker.getContainer(id).inspect())).State.Pid;
}

export const removeSlot = (docker: Docker, id: string): Promise<void> =>
  answeredOr([gone, alreadyGoing], docker.getContainer(id).remove({ force: true, v: true }));

/**
 * Writes the real resolvers to the slot's resolv.conf, which instances in the slot see instead of their own. The
 * engine points every container on a network at its own DNS server on 127.0.0.11; in gVisor that is the container's
 * own loopback, where nothing listens.
 */
async function nameResolvers(docker: Docker, id: string, resolvers: readonly string[]): Promise<void> {
  const { ResolvConfPath } = await answered(docker.getContainer(id).inspect());
  await writeFile(ResolvConfPath, resolvers.map((address) => `nameserver ${address}\n`).join(''));
}

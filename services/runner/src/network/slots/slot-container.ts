// The container that holds a slot. Only its network matters; its process sleeps.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { bytesPerMb } from '@berth/contract/node';
import type Docker from 'dockerode';
import { answered, answeredIfThere, answeredOr } from '../../driver/docker-client.ts';
import { containerLabels } from '../../driver/driver.ts';
import type { NetworkSlot } from './network-slot.ts';
import { readSlotFiles } from './slot-files.ts';
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
    const slot = await nameResolvers(docker, container.id, { network, resolvers });
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
  return found && runningSlot(found, network);
}

function runningSlot(
  { Id, NetworkSettings, State }: Docker.ContainerInspectInfo,
  network: string,
): NetworkSlot | undefined {
  const address = NetworkSettings.Networks[network]?.IPAddress;
  return State.Running && address ? { containerId: Id, address } : undefined;
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
  return nameResolvers(docker, id, { network, resolvers });
}

export async function slotProcess(docker: Docker, id: string): Promise<number> {
  return (await answered(docker.getContainer(id).inspect())).State.Pid;
}

export const removeSlot = (docker: Docker, id: string): Promise<void> =>
  answeredOr([gone, alreadyGoing], docker.getContainer(id).remove({ force: true, v: true }));

/**
 * Writes the real resolvers to the slot's resolv.conf, which instances in the slot see instead of their own. The
 * engine points every container on a network at its own DNS server on 127.0.0.11; in gVisor that is the container's
 * own loopback, where nothing listens. Undefined if the slot has ended.
 */
async function nameResolvers(
  docker: Docker,
  id: string,
  { network, resolvers }: Pick<SlotSpec, 'network' | 'resolvers'>,
): Promise<NetworkSlot | undefined> {
  const found = await answered(docker.getContainer(id).inspect());
  const { ResolvConfPath, HostsPath, HostnamePath, NetworkSettings, State } = found;
  await writeFile(ResolvConfPath, resolvers.map((address) => `nameserver ${address}\n`).join(''));
  const slot = runningSlot(found, network);
  const wiring = NetworkSettings.Networks[network];
  if (slot === undefined || wiring === undefined) return undefined;
  const files = await readSlotFiles([ResolvConfPath, HostsPath, HostnamePath]);
  const { IPPrefixLen: prefixLength, Gateway: gateway } = wiring;
  return { ...slot, origin: { pid: State.Pid, prefixLength, gateway, files } };
}

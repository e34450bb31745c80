import type { Logger } from '@berth/telemetry';
import { openDocker } from '../driver/docker-client.ts';
import { mendBridge } from './bridge.ts';
import { openShell, type RunCommand } from './command.ts';
import { takeStock, type WorkspaceOf } from './earlier-run.ts';
import { mendSwitches } from './kernel-switches.ts';
import type { Network } from './network.ts';
import { createSlot, findSlot, removeSlot } from './slot-container.ts';
import { ensureSlotImage } from './slot-image.ts';
import { SlotPool } from './slot-pool.ts';
import { openTable } from './table.ts';

export interface NetworkOptions {
  /** Of the engine's socket, `unix:///…`. */
  readonly dockerUrl: string;
  readonly runnerId: string;
  readonly bridge?: string;
  /** Of the shared address space, 100.64.0.0/10: it collides neither with private networks nor with public hosts. */
  readonly subnet?: string;
  readonly resolvers: readonly string[];
  readonly gateways: readonly { readonly address: string; readonly port: number }[];
  /** How many are kept ready. */
  readonly slots?: number;
  /** Of instances that were given to somebody after they had been made. */
  readonly workspaceOf?: WorkspaceOf;
  readonly logger: Logger;
  /** Where nft, ip and sysctl run, when that is not the network namespace of this process. */
  readonly run?: RunCommand;
}

/** Kernel switches, bridge and table first: no slot exists a moment before the rules that hold it in. */
export async function createNetwork(options: NetworkOptions): Promise<Network> {
  const { runnerId, bridge = 'berth0', subnet = '100.96.0.0/16', resolvers, gateways, run = openShell() } = options;
  const docker = openDocker(options.dockerUrl);
  const ground = { runnerId, bridge, subnet };
  await mendSwitches(run);
  await mendBridge(docker, run, ground);
  const inUse = await takeStock(docker, runnerId, bridge, options.workspaceOf ?? (() => undefined));
  const table = await openTable(run, { bridge, subnet, resolvers, gateways }, inUse);
  await ensureSlotImage(docker);
  const pool = new SlotPool({
    size: options.slots ?? 4,
    logger: options.logger,
    create: () => createSlot(docker, { runnerId, network: bridge, resolvers }),
    isAlive: async ({ containerId }) => (await findSlot(docker, containerId, bridge)) !== undefined,
    remove: ({ containerId }) => removeSlot(docker, containerId),
  });
  // When a slot dies the engine gives its address to another, while the first is still somebody's. The last one counts.
  const ownerOf = new Map<string, string>();

  return {
    async takeSlot({ isForLater } = {}) {
      const slot = await (isForLater ? pool.make() : pool.take());
      ownerOf.set(slot.address, slot.containerId);
      await table.dismiss(slot.address);
      return slot;
    },

    async releaseSlot({ containerId, address }) {
      const isOwner = (ownerOf.get(address) ?? containerId) === containerId;
      if (isOwner) {
        // First: the engine gives the address to somebody else as soon as it is free.
        await table.dismiss(address);
        ownerOf.delete(address);
      }
      await removeSlot(docker, containerId);
    },

    async adoptSlot(containerId) {
      const slot = await findSlot(docker, containerId, bridge);
      if (slot) ownerOf.set(slot.address, slot.containerId);
      return slot;
    },

    admit: (address, workspaceId) => table.admit(address, workspaceId),
    dismiss: (address) => table.dismiss(address),

    async verify() {
      // The table before the bridge, which cannot always be mended.
      const rules = [...(await mendSwitches(run)), ...(await table.mend())];
      const bridged = await mendBridge(docker, run, ground);
      if (bridged.length > 0) await pool.renew();
      return [...rules, ...bridged];
    },

    close: () => pool.close(),
  };
}

import type { Logger } from '@berth/telemetry';
import { openDocker } from '../driver/docker-client.ts';
import { openShell, type RunCommand } from '../machine/command.ts';
import { mendSwitches } from '../machine/kernel-switches.ts';
import { mendBridge } from './bridge.ts';
import { type MembershipOf, recoverEarlierRun } from './earlier-run.ts';
import { checkFirewall } from './firewall/check-firewall.ts';
import type { Network } from './network.ts';
import { refusalText } from './rules/refused.ts';
import type { OutgoingLimits } from './rules/ruleset.ts';
import { forgetConnections, openTable } from './rules/table.ts';
import { KeptSlots } from './slots/kept-slots.ts';
import type { UsedSlot } from './slots/network-slot.ts';
import { restoreSlot } from './slots/restore-slot.ts';
import { createSlot, findSlot, removeSlot, restartSlot, slotProcess } from './slots/slot-container.ts';
import { ensureSlotImage } from './slots/slot-image.ts';
import { SlotPool } from './slots/slot-pool.ts';

export interface NetworkOptions {
  /** URL of the engine's socket, `unix:///…`. */
  readonly dockerUrl: string;
  readonly runnerId: string;
  readonly bridge?: string;
  /**
   * Part of the shared address space, 100.64.0.0/10, which collides neither with private networks nor with public
   * hosts.
   */
  readonly subnet?: string;
  readonly resolvers: readonly string[];
  readonly gateways: readonly { readonly address: string; readonly port: number }[];
  /** Ranges that the operator closes to instances. */
  readonly deniedRanges?: readonly string[];
  /**
   * Addresses of the deployment itself, which no instance may reach. Called at every `verify`, because names may
   * resolve to other addresses later.
   */
  readonly ownAddresses?: () => Promise<readonly string[]>;
  readonly outgoing: OutgoingLimits;
  /** Number of slots kept ready. */
  readonly slots?: number;
  /** Memberships of instances that got their owner after they were created. */
  readonly membershipOf?: MembershipOf;
  readonly logger: Logger;
  /** Runs nft, ip and sysctl, if not in the network namespace of this process. */
  readonly run?: RunCommand;
}

/** Belongs to no tenant. */
const checkedMembership = { workspaceId: 'firewall-check' };

/** Sets up kernel switches, bridge and table first: no slot exists before the rules that confine it. */
export async function createNetwork(options: NetworkOptions): Promise<Network> {
  const { runnerId, bridge = 'berth0', subnet = '100.96.0.0/16', resolvers, gateways, run = openShell() } = options;
  const { outgoing, deniedRanges = [], ownAddresses = async () => [] } = options;
  const docker = openDocker(options.dockerUrl);
  const ground = { runnerId, bridge, subnet };
  await mendSwitches(run);
  await mendBridge(docker, run, ground);
  const inUse = await recoverEarlierRun(docker, runnerId, bridge, options.membershipOf ?? (() => undefined));
  const denied = [...deniedRanges, ...(await ownAddresses())];
  const table = await openTable(run, { bridge, subnet, resolvers, gateways, denied, outgoing }, inUse);
  await ensureSlotImage(docker);
  const pool = new SlotPool({
    size: options.slots ?? 4,
    logger: options.logger,
    create: () => createSlot(docker, { runnerId, network: bridge, resolvers }),
    isAlive: async ({ containerId }) => (await findSlot(docker, containerId, bridge)) !== undefined,
    remove: ({ containerId }) => removeSlot(docker, containerId),
  });
  const kept = new KeptSlots({
    logger: options.logger,
    restore: (slot) => restoreSlot(run, slot),
    remove: ({ containerId }) => removeSlot(docker, containerId),
  });
  // Slot that got each address last. When a slot dies, the engine gives its address to another slot while the dead
  // one still belongs to an instance; the last slot counts.
  const ownerOf = new Map<string, string>();
  async function dismissAddress({ containerId, address }: UsedSlot): Promise<void> {
    if (address === undefined || (ownerOf.get(address) ?? containerId) !== containerId) return;
    await table.dismiss(address);
    await forgetConnections(run, address);
    ownerOf.delete(address);
  }

  return {
    async takeSlot({ isBackground, keptFor } = {}) {
      const used = keptFor === undefined ? undefined : await kept.take(keptFor);
      const slot = used ?? (await (isBackground ? pool.make() : pool.take()));
      ownerOf.set(slot.address, slot.containerId);
      await table.dismiss(slot.address);
      return slot;
    },

    async releaseSlot(slot) {
      // Before the removal: the engine gives the address to another slot as soon as it is free.
      await dismissAddress(slot);
      await removeSlot(docker, slot.containerId);
    },

    async keepSlot(slot, workspaceId) {
      await dismissAddress(slot);
      kept.keep(workspaceId, slot);
    },

    async adoptSlot(containerId) {
      const slot = await findSlot(docker, containerId, bridge);
      if (slot) ownerOf.set(slot.address, slot.containerId);
      return slot;
    },

    async restartSlot(ended) {
      await dismissAddress(ended);
      const slot = await restartSlot(docker, ended.containerId, { network: bridge, resolvers });
      if (slot === undefined) return undefined;
      ownerOf.set(slot.address, slot.containerId);
      await table.dismiss(slot.address);
      return slot;
    },

    admit: (address, membership) => table.admit(address, membership),
    dismiss: (address) => table.dismiss(address),

    async verify() {
      // The table is repaired before the bridge, which cannot always be repaired.
      const rules = [...(await mendSwitches(run)), ...(await table.mend())];
      await table.deny(await ownAddresses());
      const bridged = await mendBridge(docker, run, ground);
      if (bridged.length > 0) await Promise.all([pool.renew(), kept.clear()]);
      return [...rules, ...bridged];
    },

    async refused() {
      const found = await table.refused();
      return found.map(({ address, limit }) => ({ address, text: refusalText(limit, outgoing) }));
    },

    async checkFirewall() {
      const slot = await pool.make();
      try {
        await table.admit(slot.address, checkedMembership);
        const slotPid = await slotProcess(docker, slot.containerId);
        return await checkFirewall({ run, bridge, gateways, slotPid });
      } finally {
        await table.dismiss(slot.address);
        await removeSlot(docker, slot.containerId);
      }
    },

    async close() {
      await Promise.all([pool.close(), kept.close()]);
    },
  };
}
